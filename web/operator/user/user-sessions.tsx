import { Section } from '../../pieces/page.js'
import { deviceWords } from '../../pieces/people/device.js'
import { hostOf } from '../../pieces/site/site.js'
import { Ago } from '../../pieces/time/when.js'
import type { Person } from '../answers.js'
import { ChangeButton } from '../change-button.js'
import { T, t } from '../language.js'
import { RowList } from '../rows/row-list.js'
import type { PersonProps } from './person-props.js'

export function UserSessions({ person: { id, email, sites }, reload }: PersonProps) {
  const all = (sites ?? []).flatMap(({ site, kind, sessions }) =>
    sessions.map(session => ({ site, kind, ...session })),
  )
  return (
    <Section title={t('console.sessions.title')}>
      {!sites && <p>{t('console.sessions.storeDown')}</p>}
      {sites && (
        <RowList of={all} icon="laptop" none={t('console.sessions.none')}>
          {session => <SessionRow key={session.sid} userId={id} session={session} reload={reload} />}
        </RowList>
      )}
      {all.length > 1 && (
        <div className="actions">
          <ChangeButton
            name={t('console.sessions.endAll')}
            kind="danger"
            question={t('console.sessions.endAllQuestion', { email })}
            path={`users/${id}/sessions/end`}
            said={t('console.sessions.allEnded', { email })}
            done={reload}
          />
        </div>
      )}
    </Section>
  )
}

type Site = NonNullable<Person['sites']>[number]
type Session = Site['sessions'][number] & Pick<Site, 'site' | 'kind'>

function SessionRow({
  userId,
  session: { sid, site, kind, place, ip, lastUsed, ...session },
  reload,
}: {
  readonly userId: string
  readonly session: Session
  readonly reload: () => Promise<void>
}) {
  const device = deviceWords(session.device)
  const where = site ? hostOf(site) : t(`console.siteKind.${kind}`)
  return (
    <li>
      <div>
        {device} <span className="tag">{where}</span>
        <br />
        <small>
          {place && `${place} · `}
          {ip} · <T id="console.sessions.used" ago={<Ago at={lastUsed} />} />
        </small>
      </div>
      <ChangeButton
        name={t('console.sessions.end')}
        label={t('console.sessions.endLabel', { device, site: where, ip })}
        question={t('console.sessions.endQuestion', { device })}
        path={`users/${userId}/sessions/${sid}/end`}
        said={t('session.ended')}
        done={reload}
      />
    </li>
  )
}
