import { t } from '../../pieces/language/t.js'
import { useLoad } from '../../pieces/loading/use-load.js'
import { Hint } from '../../pieces/notices/notice.js'
import { anyReturn } from '../payment/return-url.js'

/** For people who came to subscribe and must log in or sign up first: what this is for, and where it leads. */
export function ReturnHint({ to }: { readonly to: string }) {
  const isToSubscribe = to.startsWith('/subscribe')
  const requested = isToSubscribe ? new URL(to, location.origin).searchParams.get('return') : null
  const site = useLoad(() => anyReturn(requested), requested ?? '').data?.site
  if (!isToSubscribe) return null
  return (
    <Hint>
      {t('subscribe.accountNeeded', { host: location.host })}
      {site && ` ${t('subscribe.afterwards', { host: site })}`}
    </Hint>
  )
}
