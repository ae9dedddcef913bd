import { ActionButton } from '../../pieces/forms/button.js'
import { useAction } from '../../pieces/forms/use-action.js'
import { t } from '../../pieces/language/t.js'
import { untilLeft } from '../../pieces/leaving.js'
import { Failure, Warning } from '../../pieces/notices/notice.js'
import { hostOf, site } from '../../pieces/site/site.js'
import { loginThroughMain } from '../client.js'

/** Leaves for the main site to log in there. */
export function ThroughMain({
  name = t('satellite.logInWith', { main: hostOf(site.mainUrl) }),
  loginHint,
  path,
}: {
  readonly name?: string
  readonly loginHint?: string
  /** Where to continue afterwards; here, by default. */
  readonly path?: string
}) {
  const action = useAction(async () => {
    await loginThroughMain({ loginHint, path })
    await untilLeft()
  })
  const isLocked = action.error instanceof DOMException
  return (
    <>
      {isLocked ? <Warning>{t('satellite.allowStorage')}</Warning> : <Failure error={action.error} />}
      <div className="actions">
        <ActionButton kind="primary" action={action}>
          {name}
        </ActionButton>
      </div>
    </>
  )
}
