import { Loaded, LoadedTogether, useLoad } from '../pieces/loading.js'
import type { Person } from '../pieces/navigation.js'
import { Page, Section } from '../pieces/page.js'
import { PasswordForm } from '../pieces/password.js'
import { SessionList, useOwnSessions } from '../pieces/session-list.js'
import { mainName, site } from '../pieces/site.js'
import { t } from '../pieces/t.js'
import { T } from '../pieces/text.js'
import { call, client, read } from './client.js'

interface Profile extends Person {
  /** False for users who have no password, or must not enter it on this site. */
  readonly mayChangePassword: boolean
}

/** For users who work only at satellites: their password, and where they are logged in. */
export function SecurityPage() {
  const profile = useLoad(() => read<Profile>('profile'))
  const { sessions, end } = useOwnSessions(call, client)
  return (
    <Page title={t('security.title')}>
      <LoadedTogether of={[profile, sessions]}>
        <Section title={t('field.password')}>
          <Loaded of={profile} shape="fields">
            {person =>
              person.mayChangePassword ? <PasswordForm call={call} person={person} /> : <PasswordOnMain />
            }
          </Loaded>
        </Section>
        <Section title={t('sessions.where')}>
          <Loaded of={sessions} shape="rows">
            {({ sites }) => <SessionList sites={sites} end={end} />}
          </Loaded>
        </Section>
      </LoadedTogether>
    </Page>
  )
}

function PasswordOnMain() {
  return (
    <p>
      <T
        id="satellite.passwordOnMain"
        main={mainName()}
        link={<a href={`${site.mainUrl}/account/security`} />}
      />
    </p>
  )
}
