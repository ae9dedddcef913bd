import { ConfirmButton } from '../../../pieces/controls.js'
import { ActionButton, useAction } from '../../../pieces/forms.js'
import { type Load, Loaded, LoadedTogether, useLoad } from '../../../pieces/loading.js'
import { Failure, toast } from '../../../pieces/notices.js'
import { Empty, Page, Section } from '../../../pieces/page.js'
import { SessionList, useOwnSessions } from '../../../pieces/session-list.js'
import { t } from '../../../pieces/t.js'
import { T } from '../../../pieces/text.js'
import { Ago, Day } from '../../../pieces/time.js'
import { call, type RememberedDevice } from '../../api.js'
import { client } from '../../client.js'

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

type DeviceList = Load<{ devices: RememberedDevice[] }>

/** Devices on which the password is enough, for a while. */
function useRememberedDevices(): DeviceList {
  return useLoad(() => call<{ devices: RememberedDevice[] }>('GET', 'remembered-devices'))
}

function RememberedDevices({ list }: { readonly list: DeviceList }) {
  const forget = async (path: string, text: string) => {
    await call('DELETE', path)
    await list.reload()
    toast(text)
  }
  return (
    <Loaded of={list} shape="rows">
      {({ devices }) =>
        devices.length === 0 ? (
          <Empty icon="laptop">{t('devices.none')}</Empty>
        ) : (
          <>
            <ul className="rows">
              {devices.map(device => (
                <DeviceRow
                  key={device.id}
                  device={device}
                  forget={() => forget(`remembered-devices/${device.id}`, t('devices.forgotten'))}
                />
              ))}
            </ul>
            <div className="actions">
              <ConfirmButton
                name={t('devices.forgetAll')}
                question={t('devices.forgetAllAsk')}
                confirm={t('devices.forgetAllYes')}
                act={() => forget('remembered-devices', t('devices.allForgotten'))}
              >
                <p>{t('devices.forgetMeans')}</p>
              </ConfirmButton>
            </div>
          </>
        )
      }
    </Loaded>
  )
}

function DeviceRow({
  device: { name, isCurrent, lastUsedAt, expiresAt },
  forget,
}: {
  readonly device: RememberedDevice
  readonly forget: () => Promise<void>
}) {
  const action = useAction(forget)
  return (
    <li>
      <div>
        <strong>{name}</strong> {isCurrent && <span className="tag good">{t('devices.this')}</span>}
        <small>
          {lastUsedAt ? (
            <T id="devices.usedUntil" used={<Ago at={lastUsedAt} />} until={<Day at={expiresAt} />} />
          ) : (
            <T id="devices.until" until={<Day at={expiresAt} />} />
          )}
        </small>
      </div>
      <ActionButton action={action} label={t('devices.forgetNamed', { name })}>
        {t('devices.forget')}
      </ActionButton>
      <Failure error={action.error} />
    </li>
  )
}
