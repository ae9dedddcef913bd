import { useState } from 'react'
import { EmailField } from '../../../../pieces/forms/field.js'
import { t } from '../../../../pieces/language/t.js'
import { useLoad } from '../../../../pieces/loading/use-load.js'
import { Loaded, LoadedTogether } from '../../../../pieces/loading/waiting.js'
import { toast } from '../../../../pieces/notices/toasts.js'
import { Page, Section } from '../../../../pieces/page.js'
import type { Person } from '../../../../pieces/shell/person-menu.js'
import type { SecondFactor } from '../../../answers.js'
import { call } from '../../../api.js'
import { client } from '../../../client.js'
import { ShownCodes } from '../../../factors/shown-codes.js'
import { MailForm } from '../../../mail-form.js'
import { Authenticator } from './authenticator.js'
import { Passkeys, usePasskeys } from './passkeys.js'
import { Password } from './password.js'
import { RecoveryCodes } from './recovery-codes.js'
import { Requirement } from './requirement.js'

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
                  <Section title={t('security.email')}>
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
