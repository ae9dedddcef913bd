import { Fact } from '../../pieces/fact.js'
import { Hint } from '../../pieces/notice.js'
import { Page, Section } from '../../pieces/page.js'
import { PermissionList } from '../../pieces/permission-list.js'
import { Link } from '../../pieces/router.js'
import { hostOf } from '../../pieces/site.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import { Ago, Day, When } from '../../pieces/when.js'
import type { Person } from '../answers.js'
import { ask } from '../api.js'
import { ChangeButton } from '../change-button.js'
import { LogRows } from '../log-rows.js'

interface PersonProps {
  readonly person: Person
  readonly reload: () => Promise<void>
}

export function UserPage({ id }: { readonly id: string }) {
  const person = useLoad(() => ask<Person>(`users/${id}`), id)
  return (
    <Page title={person.data?.email ?? 'User'}>
      <Loaded of={person} shape="rows">
        {found => (
          <>
            <About person={found} reload={person.reload} />
            <SecondFactor person={found} reload={person.reload} />
            <Sessions person={found} reload={person.reload} />
            <Section title="Permissions">
              <PermissionList permissions={found.granted as never} />
            </Section>
            <Section title="Latest in the audit log">
              <LogRows rows={found.latest} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function About({ person, reload }: PersonProps) {
  const { id, accountId, email, name, role, createdAt, disabledAt, hasPassword, allowedSatellites } = person
  const button = { label: undefined, done: reload }
  return (
    <Section title="About">
      <dl>
        <Fact name="Name">{name ?? '–'}</Fact>
        <Fact name="Role">{role}</Fact>
        <Fact name="Account">
          <Link href={`/accounts/${accountId}`}>{accountId}</Link>
        </Fact>
        <Fact name="Id">{id}</Fact>
        <Fact name="Since">
          <Day at={createdAt} />
        </Fact>
        <Fact name="Password">{hasPassword ? 'yes' : 'none'}</Fact>
        <Fact name="Satellites">
          {allowedSatellites === null ? 'all' : allowedSatellites.map(hostOf).join(', ') || 'none'}
        </Fact>
        {disabledAt && (
          <Fact name="Disabled">
            <When at={disabledAt} />
          </Fact>
        )}
      </dl>
      <div className="actions">
        {disabledAt ? (
          <ChangeButton
            {...button}
            name="Enable"
            question={`Enable ${email}?`}
            path={`users/${id}/enable`}
            said={`${email} can log in again`}
          />
        ) : (
          <ChangeButton
            {...button}
            name="Disable"
            kind="danger"
            question={`Disable ${email}?`}
            path={`users/${id}/disable`}
            said={`${email} is disabled`}
          >
            <p>All their sessions end, and they cannot log in.</p>
          </ChangeButton>
        )}
      </div>
    </Section>
  )
}

function SecondFactor({ person, reload }: PersonProps) {
  const { id, email, hasSecondFactor, mustEnrol, disabledAt, resetAt, factors } = person
  const { totpConfirmedAt, passkeys, recoveryCodesLeft } = factors
  return (
    <Section title="Second factors">
      {mustEnrol && <Hint>They have to set one up before anything else.</Hint>}
      {resetAt && (
        <Hint>
          All of them are going to be removed on <When at={resetAt} />, unless the user stops it.
        </Hint>
      )}
      <dl>
        <Fact name="App">
          {totpConfirmedAt ? (
            <>
              since <Day at={totpConfirmedAt} />
            </>
          ) : (
            'none'
          )}
        </Fact>
        <Fact name="Passkeys">{passkeys}</Fact>
        <Fact name="Recovery codes">{recoveryCodesLeft} left</Fact>
      </dl>
      <div className="actions">
        {resetAt && (
          <ChangeButton
            name="Keep them"
            question={`Keep the second factors of ${email}?`}
            path={`users/${id}/factors/reset/cancel`}
            said="The second factors stay"
            done={reload}
          />
        )}
        {!resetAt && hasSecondFactor && !disabledAt && (
          <ChangeButton
            name="Reset in 24 hours"
            kind="danger"
            question={`Reset the second factors of ${email}?`}
            path={`users/${id}/factors/reset`}
            said={`${email} has been told by mail`}
            done={reload}
          >
            <p>
              They are told by mail now, and can stop it or do it at once. After that the password alone logs
              them in: make sure in another way that it is them who ask.
            </p>
          </ChangeButton>
        )}
      </div>
    </Section>
  )
}

function Sessions({ person: { id, email, sites }, reload }: PersonProps) {
  if (!sites)
    return (
      <Section title="Sessions">
        <p>The session store does not answer now.</p>
      </Section>
    )
  const all = sites.flatMap(({ site, kind, sessions }) =>
    sessions.map(session => ({ site, kind, ...session })),
  )
  return (
    <Section title="Sessions">
      {all.length === 0 && <p>None.</p>}
      <ul className="rows">
        {all.map(({ sid, site, kind, device, place, ip, lastUsed }) => (
          <li key={sid}>
            <div>
              {device} <span className="tag">{site ? hostOf(site) : kind}</span>
              <br />
              <small>
                {place ? `${place}, ` : ''}
                {ip}, used <Ago at={lastUsed} />
              </small>
            </div>
            <ChangeButton
              name="End"
              label={`End the session of ${device}`}
              question={`End the session of ${device}?`}
              path={`users/${id}/sessions/${sid}/end`}
              said="The session has ended"
              done={reload}
            />
          </li>
        ))}
      </ul>
      {all.length > 1 && (
        <div className="actions">
          <ChangeButton
            name="End all"
            kind="danger"
            question={`End all sessions of ${email}?`}
            path={`users/${id}/sessions/end`}
            said={`All sessions of ${email} have ended`}
            done={reload}
          />
        </div>
      )}
    </Section>
  )
}
