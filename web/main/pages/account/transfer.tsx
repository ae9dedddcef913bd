import { useState } from 'react'
import { ConfirmButton } from '../../../pieces/confirm-button.js'
import { useLoad } from '../../../pieces/use-load.js'
import { Loaded } from '../../../pieces/waiting.js'
import type { Person } from '../../answers.js'
import { call } from '../../api.js'
import { client } from '../../client.js'

/** Makes somebody else the owner. */
export function Transfer({
  ownUserId,
  onDone,
}: {
  readonly ownUserId: string
  readonly onDone: () => Promise<void>
}) {
  const team = useLoad(() => call<{ users: Person[] }>('GET', 'team'))
  const [chosen, setChosen] = useState('')
  const transfer = async () => {
    await call('POST', 'account/transfer', { userId: chosen })
    // What one may do is less from now on.
    await client.refresh()
    await onDone()
  }
  return (
    <Loaded of={team}>
      {({ users }) => {
        const members = users.filter(({ userId, isDisabled }) => userId !== ownUserId && !isDisabled)
        if (members.length === 0)
          return <p>There is nobody to transfer the account to. Invite somebody first.</p>
        const member = members.find(({ userId }) => userId === chosen)
        return (
          <>
            <div className="field">
              <label htmlFor="new-owner">New owner</label>
              <select id="new-owner" value={chosen} onChange={event => setChosen(event.target.value)}>
                <option value="">Please choose</option>
                {members.map(({ userId, email, name }) => (
                  <option key={userId} value={userId}>
                    {name ? `${name} (${email})` : email}
                  </option>
                ))}
              </select>
            </div>
            {member && (
              <div className="actions">
                <ConfirmButton
                  name="Transfer the account"
                  question={`Make ${member.name ?? member.email} the owner?`}
                  confirm="Yes, transfer it"
                  act={transfer}
                >
                  <p>
                    They get all permissions, and you become an ordinary member. Only they can give it back.
                  </p>
                </ConfirmButton>
              </div>
            )}
          </>
        )
      }}
    </Loaded>
  )
}
