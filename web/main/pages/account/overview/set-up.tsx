import { Icon } from '../../../../pieces/icon.js'
import { t } from '../../../../pieces/language/t.js'
import { Section } from '../../../../pieces/page.js'
import { Link } from '../../../../pieces/router.js'
import { hostOf } from '../../../../pieces/site/site.js'
import type { AccountFacts } from './account-facts.js'

interface Step {
  readonly href: string
  readonly name: string
  readonly why: string
  /** Null for what the caller may not do. */
  readonly isDone: boolean | null
}

/** The remaining steps for a new account; nothing once all are done. */
export function SetUp({ facts }: { readonly facts: AccountFacts }) {
  const steps = stepsIn(facts).filter(({ isDone }) => isDone !== null)
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  return (
    <Section title={t('setUp.title')} about={t('setUp.done', { done, length: steps.length })}>
      <div className="progress" aria-hidden="true">
        <i style={{ width: `${(100 * done) / steps.length}%` }} />
      </div>
      <ul className="set-up">
        {steps.map(({ href, name, why, isDone }) => (
          <li key={href} className={isDone ? 'done' : ''}>
            <span className="step-mark">{isDone && <Icon name="check" />}</span>
            <span>
              {isDone ? name : <Link href={href}>{name}</Link>}
              <small>{isDone ? t('audit.done') : why}</small>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function stepsIn({ hasSecondFactor, team, satellites, hasPlan }: AccountFacts): readonly Step[] {
  const unproved = satellites?.unproved
  return [
    {
      href: '/account/security',
      name: t('enrolment.title'),
      why: t('setUp.factorWhy'),
      isDone: hasSecondFactor,
    },
    {
      href: '/account/team',
      name: t('setUp.invite'),
      why: t('setUp.inviteWhy'),
      isDone: team && team.people + team.invited > 1,
    },
    {
      href: unproved ? `/account/satellites/${unproved.id}` : '/account/satellites',
      name: unproved ? t('setUp.prove', { host: hostOf(unproved.origin) }) : t('satellites.add'),
      why: unproved ? t('setUp.proveWhy') : t('setUp.satelliteWhy'),
      isDone: satellites && satellites.all > 0 && !unproved,
    },
    {
      href: '/account/billing',
      name: t('plan.choose'),
      why: t('setUp.planWhy'),
      isDone: hasPlan,
    },
  ]
}
