import { Loaded, useLoad } from '../../pieces/loading.js'
import { Hint, isRefusal } from '../../pieces/notices.js'
import { Page, Section } from '../../pieces/page.js'
import { deviceWords, PermissionList } from '../../pieces/people.js'
import { hostOf } from '../../pieces/site.js'
import { Fact } from '../../pieces/text.js'
import { Ago, Day, When } from '../../pieces/time.js'
import { ask, type Person } from '../api.js'
import { ChangeButton } from '../change-button.js'
import { T, t } from '../language.js'
import { AccountLink, LogRows, RowList } from '../rows.js'
import { NotFoundPage } from './not-found.js'

export function UserPage({ id }: { readonly id: string }) {
  const person = useLoad(() => ask<Person>(`users/${id}`), id)
  if (isRefusal(person.error, 'NOT_FOUND')) return <NotFoundPage wasThere />
  return (
    <Page title={person.data?.email ?? t('console.user.title')}>
      <Loaded of={person} shape="rows">
        {found => (
          <>
            {found.disabledAt && (
              <Hint>
                <T
                  id={
                    found.disabledBy
                      ? `console.user.disabledBy.${found.disabledBy}`
                      : 'console.user.disabledSince'
                  }
                  when={<When at={found.disabledAt} />}
                />
              </Hint>
            )}
            <AboutUser person={found} reload={person.reload} />
            <UserFactors person={found} reload={person.reload} />
            <UserSessions person={found} reload={person.reload} />
            <Section title={t('permission.title')}>
              <PermissionList permissions={found.granted} />
            </Section>
            <Section title={t('console.log.latest')}>
              <LogRows rows={found.latest} people={found.people} self={found.id} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** The props of each part of a user's page. */
interface PersonProps {
  readonly person: Person
  readonly reload: () => Promise<void>
}

function AboutUser({ person, reload }: PersonProps) {
  const { id, accountId, accountName, name, role, createdAt, hasPassword, allowedSatellites } = person
  return (
    <Section title={t('console.about')}>
      <dl>
        {name && <Fact name={t('field.name')}>{name}</Fact>}
        <Fact name={t('nav.account')}>
          <AccountLink id={accountId} name={accountName} />
          <span className="tag">{role === 'owner' ? t('role.owner') : t('role.member')}</span>
        </Fact>
        <Fact name={t('console.account.since')}>
          <Day at={createdAt} />
        </Fact>
        <Fact name={t('field.password')}>
          {hasPassword ? t('console.user.hasPassword') : t('console.user.noPassword')}
        </Fact>
        <Fact name={t('console.user.sites')}>
          {allowedSatellites === null
            ? t('console.user.allSites')
            : allowedSatellites.map(hostOf).join(', ') || t('console.user.noSite')}
        </Fact>
        <Fact name={t('console.id')}>
          <code>{id}</code>
        </Fact>
      </dl>
      <div className="actions">
        <Standing person={person} reload={reload} />
      </div>
    </Section>
  )
}

/** Whether they can log in. An operator can also take over what the account has done. */
function Standing({ person: { id, email, disabledAt, disabledBy }, reload }: PersonProps) {
  return (
    <>
      {disabledAt && (
        <ChangeButton
          name={t('console.user.enable')}
          question={t('console.user.enableQuestion', { email })}
          path={`users/${id}/enable`}
          said={t('console.user.enabled', { email })}
          done={reload}
        />
      )}
      {!(disabledAt && disabledBy === 'operator') && (
        <ChangeButton
          name={t('console.user.disable')}
          kind="danger"
          question={t('console.user.disableQuestion', { email })}
          path={`users/${id}/disable`}
          said={t('console.user.disabled', { email })}
          done={reload}
        >
          <p>{t('console.user.disableMeans')}</p>
        </ChangeButton>
      )}
    </>
  )
}

function UserFactors({ person, reload }: PersonProps) {
  const { mustEnrol, resetAt, factors } = person
  const { totpConfirmedAt, passkeys, recoveryCodesLeft } = factors
  return (
    <Section title={t('console.factors.title')}>
      {mustEnrol && <Hint>{t('console.factors.mustEnrol')}</Hint>}
      {resetAt && (
        <Hint>
          <T id="console.factors.pending" when={<When at={resetAt} />} />
        </Hint>
      )}
      <dl>
        <Fact name={t('console.factors.app')}>
          {totpConfirmedAt ? (
            <T id="console.since" day={<Day at={totpConfirmedAt} />} />
          ) : (
            <span className="absent">{t('console.factors.none')}</span>
          )}
        </Fact>
        <Fact name={t('passkeys.title')}>
          {passkeys === 0 ? <span className="absent">{t('console.factors.none')}</span> : passkeys}
        </Fact>
        <Fact name={t('console.factors.codes')}>
          {recoveryCodesLeft === 0 ? (
            <span className="absent">{t('console.factors.none')}</span>
          ) : (
            t('console.factors.codesLeft', { left: recoveryCodesLeft })
          )}
        </Fact>
      </dl>
      <Reset person={person} reload={reload} />
    </Section>
  )
}

/** A button to request a reset, or to cancel the pending one. */
function Reset({ person, reload }: PersonProps) {
  const { id, email, hasSecondFactor, disabledAt, disabledBy, resetAt } = person
  if (resetAt)
    return (
      <div className="actions">
        <ChangeButton
          name={t('console.factors.keep')}
          question={t('console.factors.keepQuestion', { email })}
          path={`users/${id}/factors/reset/cancel`}
          said={t('console.factors.kept')}
          done={reload}
        />
      </div>
    )
  if (!hasSecondFactor || (disabledAt && disabledBy !== 'operator')) return null
  return (
    <div className="actions">
      <ChangeButton
        name={t('console.factors.reset')}
        kind="danger"
        question={t('console.factors.resetQuestion', { email })}
        path={`users/${id}/factors/reset`}
        said={t('console.factors.told', { email })}
        done={reload}
      >
        <p>{t('console.factors.resetMeans')}</p>
      </ChangeButton>
    </div>
  )
}

function UserSessions({ person: { id, email, sites }, reload }: PersonProps) {
  const all = sites.flatMap(({ site, kind, sessions }) =>
    sessions.map(session => ({ site, kind, ...session })),
  )
  return (
    <Section title={t('console.sessions.title')}>
      <RowList of={all} icon="laptop" none={t('console.sessions.none')}>
        {session => <SessionRow key={session.sid} userId={id} session={session} reload={reload} />}
      </RowList>
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

type Site = Person['sites'][number]
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
