import { Hint } from '../../pieces/notice.js'
import { hostOf } from '../../pieces/site.js'
import { safeReturnUrl } from '../return-url.js'

/** For who came to subscribe and has to log in or sign up first: what this is for, and where it leads. */
export function ReturnHint({ to }: { readonly to: string }) {
  if (!to.startsWith('/subscribe')) return null
  const returnUrl = safeReturnUrl(new URL(to, location.origin).searchParams.get('return'))
  return (
    <Hint>
      To subscribe you need an account on {location.host}, because payments are made on this site only.
      {returnUrl && ` You will return to ${hostOf(returnUrl)} afterwards.`}
    </Hint>
  )
}
