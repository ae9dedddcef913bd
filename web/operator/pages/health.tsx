import { useEffect } from 'react'
import { Fact } from '../../pieces/fact.js'
import { Page, Section } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import { Ago } from '../../pieces/when.js'
import type { Health } from '../answers.js'
import { ask } from '../api.js'

const EVERY_MS = 10_000
const NAMES: Readonly<Record<string, string>> = { database: 'Database', sessionStore: 'Session store' }

export function HealthPage() {
  const health = useLoad(() => ask<Health>('health'))
  const { reload } = health
  useEffect(() => {
    const timer = setInterval(() => void reload(), EVERY_MS)
    return () => clearInterval(timer)
  }, [reload])
  return (
    <Page title="Health">
      <Loaded of={health}>
        {({ parts, billing }) => (
          <>
            <Section title="Parts">
              <dl>
                {Object.entries(parts).map(([name, { state, since }]) => (
                  <Fact key={name} name={NAMES[name] ?? name}>
                    <span className={`tag ${state === 'up' ? 'good' : 'bad'}`}>{state}</span> since{' '}
                    <Ago at={since} />
                  </Fact>
                ))}
              </dl>
              <p>
                <small>As this process sees them; asked again every 10 seconds.</small>
              </p>
            </Section>
            <Section title="Payments">
              <dl>
                <Fact name="Events waiting">
                  {billing.waitingEvents}
                  {billing.oldestWaiting && (
                    <>
                      , the oldest came <Ago at={billing.oldestWaiting} />
                    </>
                  )}
                </Fact>
                <Fact name="Customers due">{billing.customersDue}</Fact>
                <Fact name="Failed">{billing.customersFailed}</Fact>
                <Fact name="Given up">
                  {billing.customersParked}{' '}
                  {billing.customersParked > 0 && <Link href="/payments?state=parked">Show them</Link>}
                </Fact>
              </dl>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}
