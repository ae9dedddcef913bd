import { useLoad } from '../../pieces/loading/use-load.js'
import { Loaded } from '../../pieces/loading/waiting.js'
import { Hint } from '../../pieces/notices/notice.js'
import { Page, Section } from '../../pieces/page.js'
import { PermissionList } from '../../pieces/people/permission-list.js'
import { When } from '../../pieces/time/when.js'
import type { Person } from '../answers.js'
import { ask } from '../api.js'
import { T, t } from '../language.js'
import { LogRows } from '../rows/log-rows.js'
import { AboutUser } from '../user/about-user.js'
import { UserFactors } from '../user/user-factors.js'
import { UserSessions } from '../user/user-sessions.js'

export function UserPage({ id }: { readonly id: string }) {
  const person = useLoad(() => ask<Person>(`users/${id}`), id)
  return (
    <Page title={person.data?.email ?? t('console.user.title')}>
      <Loaded of={person} shape="rows">
        {found => (
          <>
            {found.disabledAt && (
              <Hint>
                <T
                  id={
                    found.disabledBy
                      ? `console.user.disabledBy.${found.disabledBy}`
                      : 'console.user.disabledSince'
                  }
                  when={<When at={found.disabledAt} />}
                />
              </Hint>
            )}
            <AboutUser person={found} reload={person.reload} />
            <UserFactors person={found} reload={person.reload} />
            <UserSessions person={found} reload={person.reload} />
            <Section title={t('permission.title')}>
              <PermissionList permissions={found.granted} />
            </Section>
            <Section title={t('console.log.latest')}>
              <LogRows rows={found.latest} people={found.people} self={found.id} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}
