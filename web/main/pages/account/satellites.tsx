import { MainstayError } from '@mainstay-auth/client'
import { RadioChoice } from '../../../pieces/controls.js'
import { Field, Form, type Texts } from '../../../pieces/forms.js'
import { type Load, Loaded, LoadedTogether, useLoad } from '../../../pieces/loading.js'
import { Hint, messageOf, toast } from '../../../pieces/notices.js'
import { Badge, Empty, Page, Section } from '../../../pieces/page.js'
import { go, Link, watchPage } from '../../../pieces/router.js'
import { hostOf } from '../../../pieces/site.js'
import { t } from '../../../pieces/t.js'
import { T } from '../../../pieces/text.js'
import { Day } from '../../../pieces/time.js'
import { type Account, call, type Satellite } from '../../api.js'
import { readOwnSubscription } from '../../checkout.js'

/** The account's sites where its people can log in. */
export function SatellitesPage() {
  const list = useLoad(() => call<{ satellites: Satellite[] }>('GET', 'satellites'))
  // Without an answer, the form is there, and the service refuses what the plan does not allow.
  const subscription = useLoad(readOwnSubscription)
  const account = useLoad(() => call<Account>('GET', 'account'))
  const most = subscription.data?.limits.satellites ?? null
  const isFull = most !== null && (list.data?.satellites.length ?? 0) >= most
  return (
    <Page title={t('satellites.title')} lead={t('satellites.about')}>
      <LoadedTogether of={[list, subscription, account]}>
        <Section title={t('satellites.yours')}>
          <Loaded of={list} shape="rows">
            {({ satellites }) =>
              satellites.length === 0 ? (
                <Empty icon="globe">{t('satellites.none')}</Empty>
              ) : (
                <ul className="rows">
                  {satellites.map(satellite => (
                    <Row key={satellite.id} satellite={satellite} />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Section>
        <div className="columns">
          <Section
            title={t('satellites.add')}
            about={most !== null && t('satellites.allowed', { count: most })}
          >
            {isFull ? <Hint>{t('satellites.full')}</Hint> : <AddSatellite />}
          </Section>
          <Section title={t('satellites.logins')}>
            <LoginPolicy account={account} />
          </Section>
        </div>
      </LoadedTogether>
    </Page>
  )
}

function Row({ satellite }: { readonly satellite: Satellite }) {
  const { id, name, origin, kind, state, proof } = satellite
  const isRemarkable = state === 'active' && proof.failingSince !== null
  return (
    <li>
      <div className="with-badge someone">
        <Badge icon="globe" />
        <div>
          <Link href={`/account/satellites/${id}`}>{name}</Link>
          <small>{hostOf(origin)}</small>
          {isRemarkable && (
            <small>
              <StateText satellite={satellite} />
            </small>
          )}
        </div>
      </div>
      <span className="tags">
        {kind === 'preview' && <span className="tag">{t('satellites.previews')}</span>}
        <StateTag satellite={satellite} />
      </span>
    </li>
  )
}

/** Leads to the new satellite, where its proof is checked. An address with an asterisk is one of previews. */
function AddSatellite() {
  const add = async ({ origin = '', name = '' }: Texts) => {
    const isStillHere = watchPage()
    const added = await call<Satellite>('POST', 'satellites', {
      origin: originIn(origin),
      name: name.trim(),
      kind: origin.includes('*') ? 'preview' : 'production',
    }).catch(asFieldError)
    toast(t('addSatellite.added', { name: added.name }))
    if (isStillHere()) go(`/account/satellites/${added.id}`)
  }
  return (
    <Form submit={t('addSatellite.submit')} send={add}>
      <Field
        label={t('satellite.address')}
        placeholder="shop.example.com"
        hint={t('addSatellite.addressHint')}
        name="origin"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck="false"
        maxLength={300}
        required
      />
      <Field
        label={t('field.name')}
        name="name"
        hint={t('addSatellite.nameHint')}
        autoComplete="off"
        maxLength={100}
        required
      />
    </Form>
  )
}

/** Corrects an address typed without `https://`, or copied with a trailing slash. */
function originIn(text: string): string {
  const address = text.trim().toLowerCase().replace(/\/$/, '')
  return /^[a-z]+:\/\//.test(address) ? address : `https://${address}`
}

/** Shows a taken origin as an error at its field, like everything else that is wrong with it. */
function asFieldError(error: unknown): never {
  if (!(error instanceof MainstayError && error.code === 'ORIGIN_TAKEN')) throw error
  const errors = [{ field: 'origin', message: messageOf(error) }]
  throw new MainstayError(error.status, { code: 'INVALID_BODY', errors })
}

const policies = () => [
  { value: 'none', name: t('loginPolicy.none') },
  {
    value: 'owners',
    name: t('loginPolicy.owners'),
    hint: t('loginPolicy.ownersHint'),
  },
  { value: 'everyone', name: t('loginPolicy.everyone') },
]

/** How people log in on satellites, for the entire account. */
function LoginPolicy({ account }: { readonly account: Load<Account> }) {
  return (
    <Loaded of={account}>
      {({ handoffRequired }) => (
        <Form
          isEdit
          submit={t('common.save')}
          send={async texts => {
            await call('PATCH', 'account', { handoffRequired: texts.handoffRequired })
            toast(t('common.saved'))
          }}
        >
          <RadioChoice
            label={t('loginPolicy.label')}
            name="handoffRequired"
            options={policies()}
            chosen={handoffRequired}
          />
        </Form>
      )}
    </Loaded>
  )
}

/** The state of a satellite, in a word or two. */
export function StateTag({ satellite: { state, proof } }: { readonly satellite: Satellite }) {
  if (state === 'pending') return <span className="tag warn">{t('satelliteState.pending')}</span>
  if (state === 'suspended') return <span className="tag bad">{t('satelliteState.suspended')}</span>
  return proof.failingSince ? (
    <span className="tag bad">{t('satelliteState.proofMissing')}</span>
  ) : (
    <span className="tag good">{t('satelliteState.active')}</span>
  )
}

/** What that means, and what happens next. */
export function StateText({ satellite: { state, suspendedBy, proof } }: { readonly satellite: Satellite }) {
  const { failingSince, suspendAt } = proof
  if (state === 'pending') return <>{t('satelliteState.pendingMeans')}</>
  if (state === 'active' && !failingSince) return <>{t('satelliteState.activeMeans')}</>
  return (
    <>
      {state === 'suspended' && `${t('satelliteState.suspendedMeans')} `}
      {suspendedBy === 'operator' && `${t('satelliteState.byUs')} `}
      {failingSince && (
        <>
          <T id="satelliteState.missingSince" date={<Day at={failingSince} />} />{' '}
        </>
      )}
      {state === 'active' && suspendAt && <T id="satelliteState.suspendedOn" date={<Day at={suspendAt} />} />}
    </>
  )
}
