import { useEffect } from '../../pieces/activity.js'
import { Loaded, useLoad } from '../../pieces/loading.js'
import { Failure, isRefusal } from '../../pieces/notices.js'
import { outageIn } from '../../pieces/outage.js'
import { Page, Section } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { Fact } from '../../pieces/text.js'
import { Ago, When } from '../../pieces/time.js'
import { ask, type Health } from '../api.js'
import { T, t } from '../language.js'

const EVERY_MS = 10_000

export function HealthPage() {
  const health = useLoad(() => ask<Health>('health'))
  const { reload } = health
  useEffect(() => {
    const timer = setInterval(() => void reload(), EVERY_MS)
    return () => clearInterval(timer)
  }, [reload])
  // What was seen before is not true now.
  if (outageIn(health.error))
    return (
      <Page title={t('console.health.title')}>
        {isRefusal(health.error, 'DATABASE_UNAVAILABLE') ? (
          <p>{t('console.health.unknown')}</p>
        ) : (
          <Failure error={health.error} />
        )}
      </Page>
    )
  return (
    <Page title={t('console.health.title')}>
      <Loaded of={health}>
        {found => (
          <>
            <Parts health={found} />
            {found.billing && <Payments billing={found.billing} />}
            <Section title={t('console.health.mails')}>
              <dl>
                <Fact name={t('console.mails.title')}>
                  <Count of={found.mails.failed} href="/mails" />
                </Fact>
              </dl>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

interface HealthProps {
  readonly health: Health
}

function Parts({ health: { parts } }: HealthProps) {
  const names: Readonly<Record<string, string>> = {
    database: t('console.health.database'),
    sessionStore: t('console.health.sessionStore'),
  }
  return (
    <Section title={t('console.health.parts')}>
      <dl>
        {Object.entries(parts).map(([name, { state, since }]) => (
          <Fact key={name} name={names[name] ?? name}>
            <span className={`tag ${state === 'up' ? 'good' : 'bad'}`}>
              {t(`console.partState.${state}`)}
            </span>{' '}
            <small>
              <T id="console.since" day={<When at={since} />} />
            </small>
          </Fact>
        ))}
      </dl>
      <p>
        <small>{t('console.health.asked')}</small>
      </p>
    </Section>
  )
}

function Payments({ billing }: { readonly billing: NonNullable<Health['billing']> }) {
  const { waitingEvents, oldestWaiting, customersDue, customersFailed, customersParked } = billing
  return (
    <Section title={t('console.health.payments')}>
      <dl>
        <Fact name={t('console.health.waiting')}>
          <Count of={waitingEvents} href="/payments" />
          {oldestWaiting && (
            <small>
              {' '}
              <T id="console.health.oldest" ago={<Ago at={oldestWaiting} />} />
            </small>
          )}
        </Fact>
        <Fact name={t('console.health.due')}>{customersDue}</Fact>
        <Fact name={t('console.eventState.failed')}>
          <Count of={customersFailed} href="/payments?state=failed" />
        </Fact>
        <Fact name={t('console.eventState.parked')}>
          <Count of={customersParked} href="/payments?state=parked" />
        </Fact>
      </dl>
    </Section>
  )
}

/** A number, with a link to the items. */
function Count({ of, href }: { readonly of: number; readonly href: string }) {
  return of === 0 ? 0 : <Link href={href}>{of}</Link>
}
