import { Fact } from '../../../../pieces/fact.js'
import { t } from '../../../../pieces/language/t.js'
import { Section } from '../../../../pieces/page.js'
import { Link } from '../../../../pieces/router.js'
import type { AccountFacts } from './account-facts.js'

/** The size of the account, for people who manage part of it. */
export function AccountCard({ facts: { team, satellites } }: { readonly facts: AccountFacts }) {
  if (!team && !satellites) return null
  return (
    <Section title={t('nav.account')}>
      <dl>
        {team && (
          <Fact name={t('team.title')}>
            <Link href="/account/team">{peopleText(team)}</Link>
          </Fact>
        )}
        {satellites && (
          <Fact name={t('satellites.title')}>
            <Link href="/account/satellites">
              {satellites.all === 0
                ? t('overview.noSatellites')
                : t('overview.satellitesActive', { active: satellites.active, all: satellites.all })}
            </Link>
          </Fact>
        )}
      </dl>
    </Section>
  )
}

function peopleText({ people, hasMore, invited }: NonNullable<AccountFacts['team']>): string {
  const count = hasMore ? t('overview.morePeople', { people }) : t('overview.people', { people })
  return invited > 0 ? t('overview.invited', { count, invited }) : count
}
