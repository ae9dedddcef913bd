import { Link } from '../../pieces/router.js'
import { t } from '../language.js'

/** The way to an account, by what it is called. */
export function AccountLink({ id, name }: { readonly id: string; readonly name: string | null }) {
  return <Link href={`/accounts/${id}`}>{name ?? t('console.account.unnamed')}</Link>
}
