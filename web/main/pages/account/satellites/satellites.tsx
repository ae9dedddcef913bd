import type { Subscription } from '../../../../pieces/billing/subscription.js'
import { Badge, Empty } from '../../../../pieces/empty.js'
import { t } from '../../../../pieces/language/t.js'
import { useLoad } from '../../../../pieces/loading/use-load.js'
import { Loaded, LoadedTogether } from '../../../../pieces/loading/waiting.js'
import { Hint } from '../../../../pieces/notices/notice.js'
import { Page, Section } from '../../../../pieces/page.js'
import { Link } from '../../../../pieces/router.js'
import { hostOf } from '../../../../pieces/site/site.js'
import type { Account, Satellite } from '../../../answers.js'
import { call } from '../../../api.js'
import { AddSatellite } from './add-satellite.js'
import { LoginPolicy } from './login-policy.js'
import { StateTag, StateText } from './satellite-state.js'

/** The account's sites where its people can log in. */
export function SatellitesPage() {
  const list = useLoad(() => call<{ satellites: Satellite[] }>('GET', 'satellites'))
  // Without an answer, the form is there, and the service refuses what the plan does not allow.
  const subscription = useLoad(() => call<Subscription>('GET', 'subscription'))
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
