import { type ReactNode, useRef } from 'react'
import type { Caller, Client } from '../../client/index.js'
import { useSession } from '../../client/react.js'
import { Waiting } from './waiting.js'

/** What only people who are logged in see; all others see `login`, at the same address, and go on from there. */
export function SessionGate({
  client,
  login,
  children,
}: {
  readonly client: Client
  readonly login: (hasEnded: boolean) => ReactNode
  readonly children: (caller: Caller) => ReactNode
}) {
  const { status, caller } = useSession(client)
  const wasLoggedIn = useRef(false)
  if (caller) wasLoggedIn.current = true
  if (status === 'unknown')
    return (
      <main className="small">
        <Waiting />
      </main>
    )
  return caller ? children(caller) : login(wasLoggedIn.current)
}
