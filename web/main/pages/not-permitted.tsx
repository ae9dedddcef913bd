import { EmptyPage } from '../../pieces/empty.js'
import { t } from '../../pieces/language/t.js'
import { useLoad } from '../../pieces/loading/use-load.js'
import { Loaded } from '../../pieces/loading/waiting.js'
import { Page } from '../../pieces/page.js'
import { type Permission, permissionName } from '../../pieces/people/permission-names.js'
import type { SecondFactor } from '../answers.js'
import { call } from '../api.js'
import { noteEnrolmentRequired } from '../enrolment/enrolment-required.js'

/** Instead of a page that needs a permission which the caller does not have. */
export function NotPermitted({
  title,
  permission,
}: {
  readonly title: string
  readonly permission: Permission
}) {
  const mustEnrol = useLoad(async () => {
    const { mustEnrol } = await call<SecondFactor>('GET', 'second-factor')
    // Until they have a second factor, they have no permissions at all.
    if (mustEnrol) noteEnrolmentRequired()
    return mustEnrol
  })
  return (
    <Page title={title}>
      <Loaded of={mustEnrol}>
        {() => (
          <EmptyPage icon="shield" href="/account" link={t('notFound.toAccount')}>
            {t('notPermitted.who', { permission: permissionName(permission) })}
          </EmptyPage>
        )}
      </Loaded>
    </Page>
  )
}
