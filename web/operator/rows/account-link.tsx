import { Link } from '../../pieces/router.js'
import { t } from '../language.js'

/** A link to an account, by its name. */
export function AccountLink({ id, name }: { readonly id: string; readonly name: string | null }) {
  return <Link href={`/accounts/${id}`}>{name ?? t('console.account.unnamed')}</Link>
}
