import { PasswordForm } from '../../pieces/forms/password/password-form.js'
import { t } from '../../pieces/language/t.js'
import { Loaded } from '../../pieces/loading/waiting.js'
import { Page, Section } from '../../pieces/page.js'
import { useOwnSessions } from '../../pieces/sessions/own-sessions.js'
import { SessionList } from '../../pieces/sessions/session-list.js'
import { call, client } from '../client.js'

/** For users who work only at satellites: their password, and where they are logged in. */
export function SecurityPage() {
  const { sessions, end } = useOwnSessions(call, client)
  return (
    <Page title={t('satellite.security')}>
      <Section title={t('field.password')}>
        <PasswordForm call={call} />
      </Section>
      <Section title={t('sessions.where')}>
        <Loaded of={sessions} shape="rows">
          {({ sites }) => <SessionList sites={sites} end={end} />}
        </Loaded>
      </Section>
    </Page>
  )
}
