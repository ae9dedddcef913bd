import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { t } from '../../../../pieces/language/t.js'
import { useLoad } from '../../../../pieces/loading/use-load.js'
import { Loaded } from '../../../../pieces/loading/waiting.js'
import { Section } from '../../../../pieces/page.js'
import { SessionList, type SiteSessions } from '../../../../pieces/sessions/session-list.js'
import { call } from '../../../api.js'

/** Where a team member is logged in. */
export function MemberSessions({ userId }: { readonly userId: string }) {
  const path = `team/${userId}/sessions`
  const sessions = useLoad(() => call<{ sites: SiteSessions[] }>('GET', path), userId)
  return (
    <Section title={t('sessions.title')}>
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
                  name={t('memberSessions.end')}
                  question={t('memberSessions.endAsk')}
                  confirm={t('memberSessions.endYes')}
                  act={() => call('DELETE', path).then(sessions.reload)}
                >
                  <p>{t('memberSessions.endMeans')}</p>
                </ConfirmButton>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}
