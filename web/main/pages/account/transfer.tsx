import { ConfirmButton } from '../../../pieces/forms/confirm-button.js'
import { go } from '../../../pieces/router.js'
import { toast } from '../../../pieces/toasts.js'
import { useLoad } from '../../../pieces/use-load.js'
import type { Person, Profile } from '../../answers.js'
import { call } from '../../api.js'

/** For the owner, who asks this member to be the owner. */
export function Transfer({ person: { userId, email, name } }: { readonly person: Person }) {
  const own = useLoad(() => call<Profile>('GET', 'profile'))
  if (own.data?.role !== 'owner') return null
  const request = async () => {
    await call('POST', 'account/transfer', { userId })
    toast(`We have asked ${name ?? email} to become the owner.`)
    go('/account/settings')
  }
  return (
    <ConfirmButton
      name="Transfer ownership"
      question={`Transfer the account to ${name ?? email}?`}
      confirm="Yes, transfer the account"
      act={request}
    >
      <p>
        We mail them a link to accept. After a waiting period they get all permissions and you become an
        ordinary member. Until then you can cancel.
      </p>
    </ConfirmButton>
  )
}
