import { PasswordForm } from '../pieces/forms/password/password-form.js'
import { t } from '../pieces/language/t.js'
import { T } from '../pieces/language/text.js'
import { useLoad } from '../pieces/loading/use-load.js'
import { Loaded } from '../pieces/loading/waiting.js'
import { Page, Section } from '../pieces/page.js'
import { useOwnSessions } from '../pieces/sessions/own-sessions.js'
import { SessionList } from '../pieces/sessions/session-list.js'
import type { Person } from '../pieces/shell/person-menu.js'
import { hostOf, site } from '../pieces/site/site.js'
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
    </Page>
  )
}

function PasswordOnMain() {
  return (
    <p>
      <T
        id="satellite.passwordOnMain"
        host={hostOf(site.mainUrl)}
        link={<a href={`${site.mainUrl}/account/security`} />}
      />
    </p>
  )
}
