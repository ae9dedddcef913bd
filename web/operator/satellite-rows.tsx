import { Link } from '../pieces/router.js'
import { Ago } from '../pieces/when.js'
import type { Satellite } from './answers.js'
import { ChangeButton } from './change-button.js'

const KINDS = { pending: 'warn', active: 'good', suspended: 'bad' } as const

/** Satellites with what an operator can do about them. */
export function SatelliteRows({
  satellites,
  withAccount = false,
  reload,
}: {
  readonly satellites: readonly Satellite[]
  /** Whether they are of several accounts. */
  readonly withAccount?: boolean
  readonly reload: () => Promise<void>
}) {
  if (satellites.length === 0) return <p>None.</p>
  return (
    <ul className="rows">
      {satellites.map(
        ({ id, accountId, origin, name, kind, state, suspendedBy, createdAt, failingSince }) => (
          <li key={id}>
            <div>
              {origin} <span className={`tag ${KINDS[state]}`}>{state}</span>{' '}
              {kind === 'preview' && <span className="tag">preview</span>}
              <br />
              <small>
                {name}, added <Ago at={createdAt} />
                {suspendedBy && `, suspended by the ${suspendedBy}`}
                {failingSince && (
                  <>
                    , no proof since <Ago at={failingSince} />
                  </>
                )}
                {withAccount && (
                  <>
                    {' · '}
                    <Link href={`/accounts/${accountId}`}>Account</Link>
                  </>
                )}
              </small>
            </div>
            {state === 'active' && (
              <ChangeButton
                name="Suspend"
                label={`Suspend ${origin}`}
                question={`Suspend ${origin}?`}
                path={`satellites/${id}/suspend`}
                said={`${origin} is suspended`}
                done={reload}
              >
                <p>Its pages are refused within seconds. The account cannot resume or remove it.</p>
              </ChangeButton>
            )}
            {state === 'suspended' && (
              <ChangeButton
                name="Resume"
                label={`Resume ${origin}`}
                question={`Resume ${origin}?`}
                path={`satellites/${id}/resume`}
                said={`${origin} is active`}
                done={reload}
              >
                <p>Without looking for its proof, which has another 7 days.</p>
              </ChangeButton>
            )}
          </li>
        ),
      )}
    </ul>
  )
}
