import { ActionButton } from '../../../pieces/forms/button.js'
import { ConfirmButton } from '../../../pieces/forms/confirm-button.js'
import { useAction } from '../../../pieces/forms/use-action.js'
import { Failure } from '../../../pieces/notice.js'
import { toast } from '../../../pieces/toasts.js'
import { useLoad } from '../../../pieces/use-load.js'
import { Loaded } from '../../../pieces/waiting.js'
import { Ago, Day } from '../../../pieces/when.js'
import type { RememberedDevice } from '../../answers.js'
import { call } from '../../api.js'

/** Where the password is enough, for a while. */
export function RememberedDevices() {
  const list = useLoad(() => call<{ devices: RememberedDevice[] }>('GET', 'remembered-devices'))
  const forget = async (path: string, text: string) => {
    await call('DELETE', path)
    await list.reload()
    toast(text)
  }
  return (
    <Loaded of={list} shape="rows">
      {({ devices }) =>
        devices.length === 0 ? (
          <p className="absent">
            There are none. You can have a device remembered when you log in with a second factor.
          </p>
        ) : (
          <>
            <p>On these devices your password is enough to log in.</p>
            <ul className="rows">
              {devices.map(device => (
                <Device
                  key={device.id}
                  device={device}
                  forget={() => forget(`remembered-devices/${device.id}`, 'The device is forgotten.')}
                />
              ))}
            </ul>
            <div className="actions">
              <ConfirmButton
                name="Forget all devices"
                question="Forget all devices?"
                confirm="Forget all"
                act={() => forget('remembered-devices', 'All devices are forgotten.')}
              >
                <p>The next login on each of them asks for your second factor again. Nobody is logged out.</p>
              </ConfirmButton>
            </div>
          </>
        )
      }
    </Loaded>
  )
}

function Device({
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
        <strong>{name}</strong> {isCurrent && <span className="tag good">This device</span>}
        <small>
          {lastUsedAt && (
            <>
              Last used <Ago at={lastUsedAt} /> ·{' '}
            </>
          )}
          remembered until <Day at={expiresAt} />
        </small>
      </div>
      <ActionButton action={action} label={`Forget ${name}`}>
        Forget
      </ActionButton>
      <Failure error={action.error} />
    </li>
  )
}
