import { ConfirmButton } from '../../../pieces/forms/confirm-button.js'
import { t } from '../../../pieces/language/t.js'
import { useLoad } from '../../../pieces/loading/use-load.js'
import { toast } from '../../../pieces/notices/toasts.js'
import { go } from '../../../pieces/router.js'
import type { Person, Profile } from '../../answers.js'
import { call } from '../../api.js'

/** For the owner, to ask this member to take over ownership. */
export function Transfer({ person: { userId, email, name } }: { readonly person: Person }) {
  const own = useLoad(() => call<Profile>('GET', 'profile'))
  if (own.data?.role !== 'owner') return null
  const request = async () => {
    await call('POST', 'account/transfer', { userId })
    toast(t('transfer.askedOwner', { name: name ?? email }))
    go('/account/settings')
  }
  return (
    <ConfirmButton
      name={t('transfer.button')}
      question={t('transfer.ask', { name: name ?? email })}
      confirm={t('transfer.yes')}
      act={request}
    >
      <p>{t('transfer.means')}</p>
    </ConfirmButton>
  )
}
