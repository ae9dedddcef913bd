import { supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { useState } from 'react'
import { ConfirmButton } from '../../../pieces/controls.js'
import { Dialog } from '../../../pieces/dialog.js'
import { ActionRow, EmailField, Field, Form, useAction } from '../../../pieces/forms.js'
import { type Load, Loaded, LoadedTogether, useLoad } from '../../../pieces/loading.js'
import type { Person } from '../../../pieces/navigation.js'
import { Hint, toast, Warning } from '../../../pieces/notices.js'
import { Page, Section } from '../../../pieces/page.js'
import { PasswordForm } from '../../../pieces/password.js'
import { Link } from '../../../pieces/router.js'
import { t } from '../../../pieces/t.js'
import { T } from '../../../pieces/text.js'
import { Ago, When } from '../../../pieces/time.js'
import { call, type NewRecoveryCodes, type Passkey, type SecondFactor } from '../../api.js'
import { client } from '../../client.js'
import { AuthenticatorSetup, addPasskey, removePasskey, ShownCodes } from '../../factors.js'
import { MailForm } from '../../mail-form.js'

export function SecurityPage({ person }: { readonly person: Person | null }) {
  const factor = useLoad(() => call<SecondFactor>('GET', 'second-factor'))
  const passkeys = usePasskeys()
  const [made, setMade] = useState<{ codes: readonly string[]; text: string } | null>(null)
  const changed = async (text: string, codes: readonly string[] | null = null) => {
    setMade(codes && { codes, text })
    // A user who was required to have one gets all permissions back, with a new token.
    if (factor.data?.mustEnrol) await client.refresh()
    await factor.reload()
    // Over the codes it would cover what saves them.
    if (!codes) toast(text)
  }
  if (made)
    return (
      <Page title={t('enrolment.codesTitle')}>
        <Section title={t('codes.title')}>
          <ShownCodes
            codes={made.codes}
            done={() => {
              setMade(null)
              toast(made.text)
            }}
          />
        </Section>
      </Page>
    )
  return (
    <Page title={t('security.title')} lead={t('security.lead')}>
      <LoadedTogether of={[factor, passkeys]}>
        <Loaded of={factor}>
          {state => (
            <>
              <Requirement state={state} />
              <div className="columns">
                <div>
                  <Section title={t('passkeys.title')}>
                    <Passkeys list={passkeys} changed={changed} />
                  </Section>
                  <Section title={t('totp.title')}>
                    <Authenticator state={state} changed={changed} />
                  </Section>
                  <Section title={t('codes.title')}>
                    <RecoveryCodes state={state} changed={changed} />
                  </Section>
                </div>
                <div>
                  <Password state={state} changed={changed} person={person} />
                  <Section title={t('security.email')} about={person?.email}>
                    <EmailChange />
                  </Section>
                </div>
              </div>
            </>
          )}
        </Loaded>
      </LoadedTogether>
    </Page>
  )
}

function EmailChange() {
  const [isSent, setIsSent] = useState(false)
  return (
    <MailForm
      submit={t('security.changeEmail')}
      said={sentTo => t('security.emailSent', { sentTo })}
      send={({ email = '' }) => call('POST', 'email/change', { email })}
      isSent={isSent}
      setIsSent={setIsSent}
    >
      {({ email }) => (
        <EmailField
          label={t('security.newEmail')}
          autoComplete="email"
          defaultValue={email}
          autoFocus={!!email}
        />
      )}
    </MailForm>
  )
}

/** Reloads the user's factors and reports what was done, but shows new recovery codes first. */
type Changed = (news: string, codes?: readonly string[] | null) => Promise<void>

interface FactorProps {
  readonly state: SecondFactor
  readonly changed: Changed
}

/** What the account requires of the user, and by when. */
function Requirement({ state }: { readonly state: SecondFactor }) {
  const { required, requiredFrom, mustEnrol, totp, passkeys } = state
  const hasOne = totp !== null || passkeys > 0
  if (mustEnrol) return <Warning>{t('requirement.late')}</Warning>
  if (required && hasOne) return <Hint>{t('requirement.met')}</Hint>
  if (required)
    return (
      <Warning isMild>
        {requiredFrom ? <T id="requirement.from" date={<When at={requiredFrom} />} /> : t('requirement.now')}
      </Warning>
    )
  if (hasOne) return null
  return <Hint>{t('requirement.advice')}</Hint>
}

type PasskeyList = Load<{ passkeys: Passkey[] }>

function usePasskeys(): PasskeyList {
  return useLoad(() => call<{ passkeys: Passkey[] }>('GET', 'passkeys'))
}

function Passkeys({ list, changed }: { readonly list: PasskeyList; readonly changed: Changed }) {
  const changedList: Changed = async (news, codes) => {
    await list.reload()
    await changed(news, codes)
  }
  const add = useAction(async () => changedList(t('passkeys.added'), await addPasskey()))
  return (
    <>
      <p>{t('passkeys.about')}</p>
      <Loaded of={list}>
        {({ passkeys }) =>
          passkeys.length > 0 && (
            <ul className="rows">
              {passkeys.map(passkey => (
                <PasskeyRow key={passkey.id} passkey={passkey} changed={changedList} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {supportsPasskeys() ? (
        <ActionRow action={add}>{t('passkeys.add')}</ActionRow>
      ) : (
        <p className="absent">{t('passkeys.unsupported')}</p>
      )}
    </>
  )
}

interface PasskeyRowProps {
  readonly passkey: Passkey
  readonly changed: Changed
}

function PasskeyRow({ passkey, changed }: PasskeyRowProps) {
  const { id, name, createdAt, lastUsedAt } = passkey
  return (
    <li>
      <div>
        <strong>{name}</strong> <PasskeyWhereabouts passkey={passkey} />
        <small>
          {lastUsedAt ? (
            <T id="passkeys.used" added={<Ago at={createdAt} />} used={<Ago at={lastUsedAt} />} />
          ) : (
            <T id="passkeys.unused" added={<Ago at={createdAt} />} />
          )}
        </small>
      </div>
      <PasskeyRename passkey={passkey} changed={changed} />
      <ConfirmButton
        name={t('common.remove')}
        isFinal
        label={t('passkeys.removeNamed', { name })}
        question={t('passkeys.removeAsk', { name })}
        confirm={t('passkeys.removeYes')}
        act={async () => {
          await removePasskey(id)
          await changed(t('passkeys.removed'))
        }}
      >
        <p>{t('passkeys.removeMeans')}</p>
      </ConfirmButton>
    </li>
  )
}

/** Whether losing the device means losing the passkey. */
function PasskeyWhereabouts({ passkey: { isBackedUp, isBackupEligible } }: Pick<PasskeyRowProps, 'passkey'>) {
  if (isBackedUp) return <span className="tag good">{t('passkeys.backedUp')}</span>
  return <span className="tag">{isBackupEligible ? t('passkeys.notBackedUp') : t('passkeys.oneDevice')}</span>
}

function PasskeyRename({ passkey: { id, name }, changed }: PasskeyRowProps) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  const rename = async (texts: Readonly<Record<string, string>>) => {
    await call('PATCH', `passkeys/${id}`, { name: texts.name?.trim() })
    close()
    await changed(t('passkeys.nameSaved'))
  }
  return (
    <>
      <button type="button" aria-label={t('passkeys.renameNamed', { name })} onClick={() => setIsOpen(true)}>
        {t('passkeys.rename')}
      </button>
      {isOpen && (
        <Dialog title={t('passkeys.renameTitle')} onCancel={close}>
          <Form isEdit submit={t('common.saveName')} send={rename}>
            <Field
              label={t('field.name')}
              name="name"
              defaultValue={name}
              maxLength={100}
              autoComplete="off"
              required
            />
          </Form>
        </Dialog>
      )}
    </>
  )
}

function Authenticator({ state, changed }: FactorProps) {
  if (!state.totp) return <AuthenticatorSetup done={codes => void changed(t('totp.isSetUp'), codes)} />
  return (
    <>
      <p>
        <T id="totp.since" date={<When at={state.totp.confirmedAt} />} />
      </p>
      <div className="actions">
        <ConfirmButton
          name={t('common.remove')}
          isFinal
          label={t('totp.remove')}
          question={t('totp.removeAsk')}
          confirm={t('totp.removeYes')}
          act={async () => {
            await call('DELETE', 'second-factor/totp')
            await changed(t('totp.removed'))
          }}
        >
          <p>{t('totp.removeMeans')}</p>
        </ConfirmButton>
      </div>
    </>
  )
}

/** With this many left, it is time for new ones. */
const FEW = 3

function RecoveryCodes({ state, changed }: FactorProps) {
  const { recoveryCodesLeft: left, totp, passkeys } = state
  const make = async () => {
    const { recoveryCodes } = await call<NewRecoveryCodes>('POST', 'second-factor/recovery-codes')
    await changed(t('codes.renewed'), recoveryCodes)
  }
  const first = useAction(make)
  if (!totp && passkeys === 0) return <p>{t('codes.later')}</p>
  if (left === 0)
    return (
      <>
        <Warning isMild>{t('codes.none')}</Warning>
        <ActionRow action={first}>{t('codes.make')}</ActionRow>
      </>
    )
  return (
    <>
      <p>
        {t('codes.left', { left })}
        {left <= FEW && ` ${t('codes.few')}`}
      </p>
      <div className="actions">
        <ConfirmButton
          name={t('codes.makeNew')}
          isFinal
          question={t('codes.makeNewAsk')}
          confirm={t('codes.makeNewYes')}
          act={make}
        >
          <p>{t('codes.makeNewMeans')}</p>
        </ConfirmButton>
      </div>
    </>
  )
}

/** To change the password, or to go without one. */
function Password({ state, changed, person }: FactorProps & { readonly person: Person | null }) {
  const { hasPassword, passkeys, recoveryCodesLeft } = state
  if (!hasPassword)
    return (
      <Section title={t('field.password')}>
        <p>
          <T id="password.none" link={<Link href="/forgot-password" />} />
        </p>
      </Section>
    )
  const canDoWithout = passkeys > 1 || (passkeys > 0 && recoveryCodesLeft > 0)
  return (
    <>
      <Section title={t('field.password')}>
        <PasswordForm call={call} person={person} />
      </Section>
      {canDoWithout && (
        <Section title={t('password.without')}>
          <p>{t('password.withoutAbout')}</p>
          <div className="actions">
            <ConfirmButton
              name={t('password.giveUp')}
              question={t('password.giveUpAsk')}
              confirm={t('password.giveUpYes')}
              act={async () => {
                await call('DELETE', 'password')
                await changed(t('password.givenUp'))
              }}
            >
              <p>{t('password.giveUpMeans')}</p>
            </ConfirmButton>
          </div>
        </Section>
      )}
    </>
  )
}
