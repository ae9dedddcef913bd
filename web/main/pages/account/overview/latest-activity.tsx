import { deviceWords } from '../../../../pieces/device.js'
import { t } from '../../../../pieces/language/t.js'
import { Section } from '../../../../pieces/page.js'
import { Link } from '../../../../pieces/router.js'
import { hostOf } from '../../../../pieces/site.js'
import { useLoad } from '../../../../pieces/use-load.js'
import { Loaded } from '../../../../pieces/waiting.js'
import { Ago } from '../../../../pieces/when.js'
import type { AuditEntry, Login } from '../../../answers.js'
import { call } from '../../../api.js'
import { type People, sentenceOf } from '../audit/audit-sentence.js'

const SHOWN = 6

interface Event {
  readonly text: string
  readonly at: string
}

/** The newest of the audit log, for who may read it; of their own logins for everybody else. */
export function LatestActivity({ isOfAccount }: { readonly isOfAccount: boolean }) {
  const events = useLoad(isOfAccount ? eventsOfAccount : ownLogins)
  return (
    <Section title={isOfAccount ? t('activity.title') : t('activity.ownTitle')}>
      <Loaded of={events} shape="rows">
        {loaded => (
          <ul className="events">
            {loaded.map(({ text, at }, index) => (
              <li key={index}>
                <span>{text}</span>
                <small>
                  <Ago at={at} />
                </small>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <p>
        {isOfAccount ? (
          <Link href="/account/audit">{t('activity.all')}</Link>
        ) : (
          <Link href="/account/logins">{t('activity.allLogins')}</Link>
        )}
      </p>
    </Section>
  )
}

async function eventsOfAccount(): Promise<readonly Event[]> {
  const { entries, people } = await call<{ entries: AuditEntry[]; people: People }>(
    'GET',
    `audit?limit=${SHOWN}`,
  )
  return entries.map(entry => ({ text: sentenceOf(entry, people), at: entry.at }))
}

async function ownLogins(): Promise<readonly Event[]> {
  const { logins } = await call<{ logins: Login[] }>('GET', `logins?limit=${SHOWN}`)
  return logins.map(({ outcome, origin, device, at }) => ({
    text: t(outcome === 'ok' ? 'activity.login' : 'activity.failedLogin', {
      place: origin ? hostOf(origin) : t('activity.app'),
      device: deviceWords(device),
    }),
    at,
  }))
}
