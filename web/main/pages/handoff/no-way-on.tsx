import { ActionButton } from '../../../pieces/forms/button.js'
import { useAction } from '../../../pieces/forms/use-action.js'
import { Failure, Warning } from '../../../pieces/notice.js'
import { SmallPage } from '../../../pieces/page.js'
import { Link } from '../../../pieces/router.js'
import { hostOf } from '../../../pieces/site.js'
import { client } from '../../client.js'
import type { HandOffRequest } from './handoff-request.js'

export function IncompletePage() {
  return (
    <SmallPage title="Log in to another site">
      <Warning>
        The address of this page is incomplete. Please go back to the site you came from and begin again.
      </Warning>
      <ToAccount />
    </SmallPage>
  )
}

/** The page stays: an address that anybody can write must not lead people anywhere in our name. */
export function UnknownSatellitePage({ request }: { readonly request: HandOffRequest }) {
  return (
    <SmallPage title="Unknown site">
      <Warning>
        <strong>{hostOf(request.satellite)}</strong> is not connected to {location.host}, or it is suspended
        at the moment. Nobody is logged in there from here. If you did not expect this, close this page.
      </Warning>
      <ToAccount />
    </SmallPage>
  )
}

/** Somebody has just logged in, and the cookie of that is not there. */
export function CookiesBlockedPage({ retry }: { readonly retry: () => Promise<void> }) {
  // Without the cookie the client finds nobody, and the page shows the login again.
  const action = useAction(async () => {
    await client.refresh()
    await retry()
  })
  return (
    <SmallPage title="Cookies are blocked">
      <Warning>
        Your browser did not send the cookie of {location.host}, so you cannot be logged in elsewhere. Please
        allow cookies for {location.host}, then try again.
      </Warning>
      <Failure error={action.error} />
      <div className="actions">
        <ActionButton kind="primary" action={action}>
          Try again
        </ActionButton>
      </div>
      <ToAccount />
    </SmallPage>
  )
}

function ToAccount() {
  return (
    <p className="links">
      <Link href="/account">Go to your account on {location.host}</Link>
    </p>
  )
}
