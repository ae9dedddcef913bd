import { ActionButton } from '../../../pieces/forms/button.js'
import { useAction } from '../../../pieces/forms/use-action.js'
import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import { Failure, Warning } from '../../../pieces/notices/notice.js'
import { SmallPage } from '../../../pieces/page.js'
import { Link } from '../../../pieces/router.js'
import { hostOf } from '../../../pieces/site/site.js'
import { WayOn } from '../../../pieces/way-on.js'
import { client } from '../../client.js'
import type { HandOffRequest } from './handoff-request.js'

export function IncompletePage() {
  return (
    <SmallPage title={t('handoff.incompleteTitle')}>
      <Warning>{t('handoff.incomplete')}</Warning>
      <WayOn href="/account">{t('handoff.toAccount', { host: location.host })}</WayOn>
    </SmallPage>
  )
}

/** Does not redirect: a link that anybody can craft must not lead people anywhere in our name. */
export function UnknownSatellitePage({ request }: { readonly request: HandOffRequest }) {
  return (
    <SmallPage title={t('handoff.unknownTitle')}>
      <Warning>
        <T id="handoff.unknown" host={hostOf(request.satellite)} here={location.host} strong={<strong />} />
      </Warning>
      <WayOn href="/account">{t('handoff.toAccount', { host: location.host })}</WayOn>
    </SmallPage>
  )
}

/** Somebody has just logged in, but the cookie is missing. */
export function CookiesBlockedPage({ retry }: { readonly retry: () => Promise<void> }) {
  // Without the cookie the client finds nobody logged in, and the page shows the login again.
  const action = useAction(async () => {
    await client.refresh()
    await retry()
  })
  return (
    <SmallPage title={t('handoff.blockedTitle')}>
      <Warning>{t('handoff.blocked', { host: location.host })}</Warning>
      <Failure error={action.error} />
      <div className="actions">
        <ActionButton kind="primary" action={action}>
          {t('common.tryAgain')}
        </ActionButton>
      </div>
      <p className="links">
        <Link href="/account">{t('handoff.toAccount', { host: location.host })}</Link>
      </p>
    </SmallPage>
  )
}
