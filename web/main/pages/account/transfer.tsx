import { ConfirmButton } from '../../../pieces/confirm-button.js'
import { go } from '../../../pieces/router.js'
import { useLoad } from '../../../pieces/use-load.js'
import type { Person, Profile } from '../../answers.js'
import { call } from '../../api.js'
import { client } from '../../client.js'

/** For the owner, who makes this member the owner. */
export function Transfer({ person: { userId, email, name } }: { readonly person: Person }) {
  const own = useLoad(() => call<Profile>('GET', 'profile'))
  if (own.data?.role !== 'owner') return null
  const transfer = async () => {
    await call('POST', 'account/transfer', { userId })
    // What one may do is less from now on.
    await client.refresh().catch(() => undefined)
    go('/account')
  }
  return (
    <ConfirmButton
      name="Make owner"
      question={`Make ${name ?? email} the owner?`}
      confirm="Yes, transfer the account"
      act={transfer}
    >
      <p>They get all permissions, and you become an ordinary member. Only they can give it back.</p>
    </ConfirmButton>
  )
}
