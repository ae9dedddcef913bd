import type { Caller, Permissions } from '@mainstay-auth/client'
import { useEffect } from '../../../pieces/activity.js'
import { SubscriptionFacts } from '../../../pieces/billing.js'
import { Icon, type IconName } from '../../../pieces/icon.js'
import { type Load, Loaded, LoadedTogether, useLoad } from '../../../pieces/loading.js'
import { Warning } from '../../../pieces/notices.js'
import { Page, Section, SiteLinks } from '../../../pieces/page.js'
import { deviceWords } from '../../../pieces/people.js'
import { Link } from '../../../pieces/router.js'
import { hostOf, site } from '../../../pieces/site.js'
import { maySubscribe, type Subscription } from '../../../pieces/subscription.js'
import { t } from '../../../pieces/t.js'
import { breakable, Fact, T } from '../../../pieces/text.js'
import { Ago, When } from '../../../pieces/time.js'
import {
  type Account,
  type AuditPart,
  call,
  type Login,
  type Profile,
  type Satellite,
  type SecondFactor,
} from '../../api.js'
import { readOwnSubscription } from '../../checkout.js'
import { iconOf, peopleIn, sentenceOf } from './audit-entry.js'
import { PermissionChips } from './member-access.js'

export function OverviewPage({
  caller,
  profile,
}: {
  readonly caller: Caller
  readonly profile: Load<Profile>
}) {
  const { permissions } = caller
  const facts = useLoad(() => readFacts(permissions))
  const events = useLatestActivity(permissions.accountSettings)
  const subscription = useLoad(readOwnSubscription)
  const deletion = useLoad(() => readDeletion(permissions))
  // It was loaded for the menu, perhaps long ago.
  useEffect(() => {
    if (profile.data) void profile.reload()
  }, [])
  return (
    <Page title={t('overview.title')}>
      <LoadedTogether of={[facts, events, subscription, deletion, profile]}>
        {deletion.data?.deleteAt && <DeletionWarning deleteAt={deletion.data.deleteAt} />}
        <Loaded of={facts} shape="rows">
          {loaded => <SetUp facts={loaded} />}
        </Loaded>
        <div className="columns">
          <LatestActivity isOfAccount={permissions.accountSettings} events={events} />
          <div>
            {site.takesPayments && (
              <SubscriptionCard mayPay={permissions.payments} subscription={subscription} />
            )}
            {facts.data && <AccountCard facts={facts.data} />}
            <YouCard caller={caller} profile={profile} />
          </div>
        </div>
      </LoadedTogether>
    </Page>
  )
}

function SubscriptionCard({
  mayPay,
  subscription,
}: {
  readonly mayPay: boolean
  readonly subscription: Load<Subscription>
}) {
  return (
    <Section title={t('subscription.title')}>
      <Loaded of={subscription}>{loaded => <SubscriptionFacts subscription={loaded} />}</Loaded>
      {mayPay && (
        <p>
          <Link href="/account/billing">{t('overview.toBilling')}</Link>
        </p>
      )}
    </Section>
  )
}

function YouCard({
  caller: { permissions },
  profile,
}: {
  readonly caller: Caller
  readonly profile: Load<Profile>
}) {
  return (
    <Section title={t('nav.you')}>
      <Loaded of={profile}>
        {({ email, name, role, satellites }) => (
          <dl>
            <Fact name={t('field.email')}>{email}</Fact>
            {name && <Fact name={t('field.name')}>{name}</Fact>}
            <Fact name={t('role.title')}>
              {role === 'owner' ? t('role.ownerLong') : t('role.memberLong')}
            </Fact>
            <Fact name={t('permission.title')}>
              <PermissionChips permissions={permissions} />
            </Fact>
            {satellites && (
              <Fact name={t('overview.sites')}>
                <SiteLinks origins={satellites} />
              </Fact>
            )}
          </dl>
        )}
      </Loaded>
    </Section>
  )
}

/** When the account will be deleted, for people who may stop that. */
async function readDeletion({ accountSettings }: Permissions): Promise<Pick<Account, 'deleteAt'>> {
  return accountSettings ? call<Account>('GET', 'account') : { deleteAt: null }
}

function DeletionWarning({ deleteAt }: { readonly deleteAt: string }) {
  return (
    <Warning>
      <T id="deletion.on" date={<When at={deleteAt} />} />{' '}
      <Link href="/account/settings">{t('deletion.cancel')}</Link>
    </Warning>
  )
}

/** The progress of an account, as far as the caller may see it; null for what they may not. */
interface AccountFacts {
  readonly hasSecondFactor: boolean
  /** `hasMore`: there are more people than were counted. */
  readonly team: { readonly people: number; readonly hasMore: boolean; readonly invited: number } | null
  readonly satellites: {
    readonly all: number
    readonly active: number
    /** To be proved next, when none is proved yet. */
    readonly unproved: Satellite | null
  } | null
  readonly hasPlan: boolean | null
}

/** Throws as `call` does. */
async function readFacts(permissions: Permissions): Promise<AccountFacts> {
  const { teamManagement, accountSettings, payments } = permissions
  const [factor, team, satellites, subscription] = await Promise.all([
    call<SecondFactor>('GET', 'second-factor'),
    teamManagement ? readTeam() : null,
    accountSettings ? call<{ satellites: Satellite[] }>('GET', 'satellites') : null,
    payments && site.takesPayments ? readOwnSubscription() : null,
  ])
  return {
    hasSecondFactor: factor.totp !== null || factor.passkeys > 0,
    team,
    satellites: satellites && countSatellites(satellites.satellites),
    hasPlan: subscription && !maySubscribe(subscription),
  }
}

function countSatellites(all: readonly Satellite[]): AccountFacts['satellites'] {
  const isPending = ({ state }: Satellite) => state === 'pending'
  return {
    all: all.length,
    active: all.filter(({ state }) => state === 'active').length,
    unproved: all.every(isPending) ? (all[0] ?? null) : null,
  }
}

async function readTeam() {
  const [{ users, next }, { invitations }] = await Promise.all([
    call<{ users: unknown[]; next: string | null }>('GET', 'team'),
    call<{ invitations: unknown[] }>('GET', 'team/invitations'),
  ])
  return { people: users.length, hasMore: next !== null, invited: invitations.length }
}

interface Step {
  readonly href: string
  readonly name: string
  readonly why: string
  /** Null for what the caller may not do. */
  readonly isDone: boolean | null
}

/** The remaining steps for a new account; nothing once all are done. */
function SetUp({ facts }: { readonly facts: AccountFacts }) {
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

const SHOWN = 6
/** More than are shown, because consecutive duplicates are merged. */
const READ = 20

interface Event {
  readonly text: string
  readonly at: string
  readonly icon: IconName
}

/** The newest entries of the audit log, for users who may read it; all others see their own logins. */
function useLatestActivity(isOfAccount: boolean): Load<() => readonly Event[]> {
  return useLoad(isOfAccount ? eventsOfAccount : ownLogins)
}

function LatestActivity({
  isOfAccount,
  events,
}: {
  readonly isOfAccount: boolean
  readonly events: Load<() => readonly Event[]>
}) {
  return (
    <Section
      title={isOfAccount ? t('activity.title') : t('activity.ownTitle')}
      actions={
        isOfAccount ? (
          <Link href="/account/audit">{t('activity.all')}</Link>
        ) : (
          <Link href="/account/logins">{t('activity.allLogins')}</Link>
        )
      }
    >
      <Loaded of={events} shape="rows">
        {eventsIn => (
          <ul className="events">
            {eventsIn().map(({ text, at, icon }, index) => (
              <li key={index}>
                <Icon name={icon} />
                <span>{breakable(text)}</span>
                <small>
                  <Ago at={at} />
                </small>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

/** Resolves with a function that words the events in the page's language, which may change. */
async function eventsOfAccount(): Promise<() => readonly Event[]> {
  const part = await call<AuditPart>('GET', `audit?limit=${READ}`)
  const people = peopleIn(part)
  return () => {
    const events = part.entries.map(entry => ({
      text: sentenceOf(entry, people),
      at: entry.at,
      icon: iconOf(entry.action),
    }))
    return events.filter(({ text }, index) => text !== events[index - 1]?.text).slice(0, SHOWN)
  }
}

async function ownLogins(): Promise<() => readonly Event[]> {
  const { logins } = await call<{ logins: Login[] }>('GET', `logins?limit=${SHOWN}`)
  return () =>
    logins.map(({ outcome, origin, device, at }) => ({
      text: t(outcome === 'ok' ? 'activity.login' : 'activity.failedLogin', {
        place: origin ? hostOf(origin) : t('activity.app'),
        device: deviceWords(device),
      }),
      at,
      icon: 'key',
    }))
}

/** The size of the account, for people who manage part of it. */
function AccountCard({ facts: { team, satellites } }: { readonly facts: AccountFacts }) {
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
