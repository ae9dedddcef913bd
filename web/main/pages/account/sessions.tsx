import { ConfirmButton } from '../../../pieces/forms/confirm-button.js'
import { t } from '../../../pieces/language/t.js'
import { Loaded, LoadedTogether } from '../../../pieces/loading/waiting.js'
import { toast } from '../../../pieces/notices/toasts.js'
import { Page, Section } from '../../../pieces/page.js'
import { useOwnSessions } from '../../../pieces/sessions/own-sessions.js'
import { SessionList } from '../../../pieces/sessions/session-list.js'
import { call } from '../../api.js'
import { client } from '../../client.js'
import { RememberedDevices, useRememberedDevices } from './remembered-devices.js'

/** Where the user is logged in. */
export function SessionsPage() {
  const { sessions, end } = useOwnSessions(call, client)
  const devices = useRememberedDevices()
  const endOthers = async () => {
    const { ended } = await call<{ ended: number }>('DELETE', 'sessions')
    await sessions.reload()
    toast(t('sessions.othersEnded', { ended }))
  }
  return (
    <Page title={t('sessions.title')} lead={t('sessions.lead')}>
      <LoadedTogether of={[sessions, devices]}>
        <Section title={t('sessions.where')}>
          <Loaded of={sessions} shape="rows">
            {({ sites }) => (
              <>
                <SessionList sites={sites} end={end} />
                {sites.flatMap(site => site.sessions).length > 1 && (
                  <div className="actions">
                    <ConfirmButton
                      name={t('sessions.endOthers')}
                      question={t('sessions.endOthersAsk')}
                      confirm={t('sessions.endOthersYes')}
                      act={endOthers}
                    >
                      <p>{t('sessions.endOthersMeans')}</p>
                    </ConfirmButton>
                  </div>
                )}
              </>
            )}
          </Loaded>
        </Section>
        <Section title={t('devices.title')} about={t('devices.about')}>
          <RememberedDevices list={devices} />
        </Section>
      </LoadedTogether>
    </Page>
  )
}
