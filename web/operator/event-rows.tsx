import { Link } from '../pieces/router.js'
import { Ago } from '../pieces/when.js'
import type { PaymentEvent } from './answers.js'
import { ChangeButton } from './change-button.js'

const KINDS = { pending: '', failed: 'warn', parked: 'bad', handled: 'good' } as const

/** Events of the payment provider, each with a way to have it handled again. */
export function EventRows({
  events,
  withAccount = false,
  reload,
}: {
  readonly events: readonly PaymentEvent[]
  /** Whether they are of several accounts. */
  readonly withAccount?: boolean
  readonly reload: () => Promise<void>
}) {
  if (events.length === 0) return <p>None.</p>
  return (
    <ul className="rows">
      {events.map(({ id, type, state, customerId, accountId, receivedAt, effect, lastError }) => (
        <li key={id}>
          <div>
            {type} <span className={`tag ${KINDS[state]}`}>{state}</span>
            <br />
            <small>
              {id}, <Ago at={receivedAt} />
              {(lastError ?? effect) && `: ${lastError ?? effect}`}
              {withAccount && accountId && (
                <>
                  {' · '}
                  <Link href={`/accounts/${accountId}`}>Account</Link>
                </>
              )}
            </small>
          </div>
          {customerId && (
            <ChangeButton
              name="Handle again"
              label={`Handle ${id} again`}
              question={`Handle ${type} again?`}
              path={`events/${encodeURIComponent(id)}/replay`}
              said="The event is being handled again"
              done={reload}
            >
              <p>What the provider says now counts, not what the event said then.</p>
            </ChangeButton>
          )}
        </li>
      ))}
    </ul>
  )
}
