import { Icon, type IconName } from '../../../../pieces/icon.js'
import { breakable } from '../../../../pieces/language/breakable.js'
import { t } from '../../../../pieces/language/t.js'
import { type Load, useLoad } from '../../../../pieces/loading/use-load.js'
import { Loaded } from '../../../../pieces/loading/waiting.js'
import { Section } from '../../../../pieces/page.js'
import { deviceWords } from '../../../../pieces/people/device.js'
import { Link } from '../../../../pieces/router.js'
import { hostOf } from '../../../../pieces/site/site.js'
import { Ago } from '../../../../pieces/time/when.js'
import type { AuditPart, Login } from '../../../answers.js'
import { call } from '../../../api.js'
import { iconOf } from '../audit/audit-icon.js'
import { peopleIn, sentenceOf } from '../audit/audit-sentence.js'

const SHOWN = 6
/** More than are shown, because consecutive duplicates are merged. */
const READ = 20

interface Event {
  readonly text: string
  readonly at: string
  readonly icon: IconName
}

/** The newest entries of the audit log, for people who may read it; everybody else sees their own logins. */
export function useLatestActivity(isOfAccount: boolean): Load<() => readonly Event[]> {
  return useLoad(isOfAccount ? eventsOfAccount : ownLogins)
}

export function LatestActivity({
  isOfAccount,
  events,
}: {
  readonly isOfAccount: boolean
  readonly events: Load<() => readonly Event[]>
}) {
  return (
    <Section
      title={isOfAccount ? t('activity.title') : t('activity.ownTitle')}
      actions={
        isOfAccount ? (
          <Link href="/account/audit">{t('activity.all')}</Link>
        ) : (
          <Link href="/account/logins">{t('activity.allLogins')}</Link>
        )
      }
    >
      <Loaded of={events} shape="rows">
        {eventsIn => (
          <ul className="events">
            {eventsIn().map(({ text, at, icon }, index) => (
              <li key={index}>
                <Icon name={icon} />
                <span>{breakable(text)}</span>
                <small>
                  <Ago at={at} />
                </small>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

/** Resolves with a function that words the events in the page's language, which may change. */
async function eventsOfAccount(): Promise<() => readonly Event[]> {
  const part = await call<AuditPart>('GET', `audit?limit=${READ}`)
  const people = peopleIn(part)
  return () => {
    const events = part.entries.map(entry => ({
      text: sentenceOf(entry, people),
      at: entry.at,
      icon: iconOf(entry.action),
    }))
    return events.filter(({ text }, index) => text !== events[index - 1]?.text).slice(0, SHOWN)
  }
}

async function ownLogins(): Promise<() => readonly Event[]> {
  const { logins } = await call<{ logins: Login[] }>('GET', `logins?limit=${SHOWN}`)
  return () =>
    logins.map(({ outcome, origin, device, at }) => ({
      text: t(outcome === 'ok' ? 'activity.login' : 'activity.failedLogin', {
        place: origin ? hostOf(origin) : t('activity.app'),
        device: deviceWords(device),
      }),
      at,
      icon: 'key',
    }))
}
