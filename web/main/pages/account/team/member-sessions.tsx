import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { Section } from '../../../../pieces/page.js'
import { SessionList, type SiteSessions } from '../../../../pieces/sessions/session-list.js'
import { useLoad } from '../../../../pieces/use-load.js'
import { Loaded } from '../../../../pieces/waiting.js'
import { call } from '../../../api.js'

/** Where somebody of the team is logged in. */
export function MemberSessions({ userId }: { readonly userId: string }) {
  const path = `team/${userId}/sessions`
  const sessions = useLoad(() => call<{ sites: SiteSessions[] }>('GET', path), userId)
  return (
    <Section title="Sessions">
      <Loaded of={sessions} shape="rows">
        {({ sites }) => (
          <>
            <SessionList
              sites={sites}
              end={({ sid }) => call('DELETE', `${path}/${sid}`).then(sessions.reload)}
            />
            {sites.length > 0 && (
              <div className="actions">
                <ConfirmButton
                  name="Sign out everywhere"
                  question="Sign out this person everywhere?"
                  confirm="Yes, sign out everywhere"
                  act={() => call('DELETE', path).then(sessions.reload)}
                >
                  <p>They will be logged out everywhere and can log in again.</p>
                </ConfirmButton>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}
