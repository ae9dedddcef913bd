import type { Caller } from '@mainstay-auth/client'
import { ConfirmButton } from '../../../pieces/controls.js'
import { ActionButton, Form, useAction } from '../../../pieces/forms.js'
import { type Load, Loaded, LoadedTogether, Skeleton, useLoad } from '../../../pieces/loading.js'
import { BackLink } from '../../../pieces/navigation.js'
import { Failure, Hint, toast } from '../../../pieces/notices.js'
import { Page, Section } from '../../../pieces/page.js'
import { PermissionList } from '../../../pieces/people.js'
import { go } from '../../../pieces/router.js'
import { SessionList, type SiteSessions } from '../../../pieces/session-list.js'
import { t } from '../../../pieces/t.js'
import { Fact, T } from '../../../pieces/text.js'
import { Ago, Day, DayIn, When } from '../../../pieces/time.js'
import { type Account, call, type Person, type Profile } from '../../api.js'
import { isNotFound, NotFoundHere } from '../not-found.js'
import {
  PermissionBoxes,
  permissionChangesIn,
  SatelliteBoxes,
  satelliteChangesIn,
  type TeamSatellites,
  useTeamSatellites,
} from './member-access.js'

interface MemberProps {
  readonly person: Person
  readonly caller: Caller
  readonly reload: () => Promise<void>
  /** Null where that could not be found out. */
  readonly transfer: TransferTerms | null
}

/** One person of the team, and what a manager can do about them. */
export function MemberPage({ userId, caller }: { readonly userId: string; readonly caller: Caller }) {
  const person = useLoad(() => call<Person>('GET', `team/${userId}`))
  const maySeeSessions = person.data !== null && (person.data.role !== 'owner' || userId === caller.userId)
  const sessions = useLoad<Sessions>(
    async () => (maySeeSessions ? call('GET', `team/${userId}/sessions`) : { sites: [] }),
    `${userId} ${maySeeSessions}`,
  )
  const satellites = useTeamSatellites()
  const transfer = useLoad(transferOf)
  if (isNotFound(person.error)) return <NotFoundHere />
  // Their name may take more lines than any other heading.
  if (!person.data && !person.error) return <Skeleton shape="rows" />
  return (
    <Page
      title={person.data ? nameOf(person.data) : t('role.member')}
      back={<BackLink href="/account/team">{t('member.back')}</BackLink>}
    >
      <LoadedTogether of={[person, sessions, satellites, transfer]}>
        <Loaded of={person}>
          {found => (
            <Member
              person={found}
              caller={caller}
              reload={person.reload}
              sessions={sessions}
              satellites={satellites}
              transfer={transfer.data}
            />
          )}
        </Loaded>
      </LoadedTogether>
    </Page>
  )
}

interface Sessions {
  readonly sites: SiteSessions[]
}

/** Only an owner can hand the account over. */
async function transferOf(): Promise<TransferTerms> {
  const { role } = await call<Profile>('GET', 'profile')
  if (role !== 'owner') return { waitSeconds: null }
  const { transferWaitSeconds } = await call<Account>('GET', 'account')
  return { waitSeconds: transferWaitSeconds }
}

interface TransferTerms {
  readonly waitSeconds: number | null
}

function Member({
  sessions,
  satellites,
  ...props
}: MemberProps & { readonly sessions: Load<Sessions>; readonly satellites: Load<TeamSatellites> }) {
  const { person, caller, reload } = props
  const isCaller = person.userId === caller.userId
  const isFixed = person.role === 'owner' || isCaller
  return (
    <div className="columns">
      <div>
        <About {...props} isFixed={isFixed} />
        {isFixed ? <FixedRights person={person} /> : <Rights {...props} satellites={satellites} />}
      </div>
      <div>
        {!isFixed && <MemberFactors person={person} reload={reload} />}
        {(person.role !== 'owner' || isCaller) && (
          <MemberSessions userId={person.userId} sessions={sessions} />
        )}
      </div>
    </div>
  )
}

function About({ isFixed, ...props }: MemberProps & { readonly isFixed: boolean }) {
  const { email, role, createdAt, lastLoginAt, isDisabled } = props.person
  return (
    <Section title={t('member.person')}>
      <dl>
        <Fact name={t('field.email')}>{email}</Fact>
        <Fact name={t('role.title')}>{role === 'owner' ? t('role.owner') : t('role.member')}</Fact>
        <Fact name={t('member.since')}>
          <Day at={createdAt} />
        </Fact>
        <Fact name={t('member.lastLogin')}>{lastLoginAt ? <Ago at={lastLoginAt} /> : t('member.never')}</Fact>
        {isDisabled && <Fact name={t('subscription.state')}>{t('member.disabledMeans')}</Fact>}
      </dl>
      {!isFixed && <Standing {...props} />}
    </Section>
  )
}

/** For the owner, and for the manager who is viewing them. */
function FixedRights({ person: { permissions, role } }: Pick<MemberProps, 'person'>) {
  return (
    <Section title={t('permission.title')}>
      <PermissionList permissions={permissions} />
      <Hint>{role === 'owner' ? t('member.ownerHasAll') : t('member.notYourOwn')}</Hint>
    </Section>
  )
}

function Rights({
  person,
  caller,
  reload,
  satellites,
}: MemberProps & { readonly satellites: Load<TeamSatellites> }) {
  const put = async (what: 'permissions' | 'satellites', body: object, message: string) => {
    await call('PUT', `team/${person.userId}/${what}`, body)
    await reload()
    toast(message)
  }
  return (
    <>
      <Section title={t('member.access')}>
        <Form
          isEdit
          submit={t('member.savePermissions')}
          send={(_, form) => put('permissions', permissionChangesIn(form), t('member.permissionsSaved'))}
        >
          <PermissionBoxes given={person.permissions} mayGive={caller.permissions} />
        </Form>
      </Section>
      <Section title={t('team.sites')}>
        <Form
          isEdit
          submit={t('member.saveSites')}
          send={(_, form) =>
            put('satellites', satelliteChangesIn(form, person.satellites), t('member.sitesSaved'))
          }
        >
          <SatelliteBoxes
            key={String(person.satellites === null)}
            list={satellites}
            chosen={person.satellites}
          />
        </Form>
      </Section>
    </>
  )
}

function nameOf({ name, email }: Person): string {
  return name ?? email
}

/** Whether they may log in, and whether they stay in the team. */
function Standing({ person, reload, transfer }: MemberProps) {
  const { userId, isDisabled } = person
  const name = nameOf(person)
  const enable = useAction(() => call('POST', `team/${userId}/enable`).then(reload))
  return (
    <>
      <Failure error={enable.error} />
      <div className="actions">
        {isDisabled ? (
          <ActionButton action={enable}>{t('member.enable')}</ActionButton>
        ) : (
          <>
            {transfer && transfer.waitSeconds !== null && (
              <Transfer person={person} waitSeconds={transfer.waitSeconds} />
            )}
            <ConfirmButton
              name={t('member.disable')}
              question={t('member.disableAsk', { name })}
              confirm={t('member.disableYes')}
              act={() => call('POST', `team/${userId}/disable`).then(reload)}
            >
              <p>{t('member.disableMeans')}</p>
            </ConfirmButton>
          </>
        )}
        <ConfirmButton
          name={t('common.remove')}
          kind="danger"
          question={t('member.removeAsk', { name })}
          confirm={t('member.removeYes')}
          act={async () => {
            await call('DELETE', `team/${userId}`)
            toast(t('member.removed', { name }))
            go('/account/team')
          }}
        >
          <p>{t('member.removeMeans')}</p>
        </ConfirmButton>
      </div>
    </>
  )
}

/** For the owner, to ask this member to take over ownership. */
function Transfer({
  person: { userId, email, name },
  waitSeconds,
}: {
  readonly person: Person
  readonly waitSeconds: number
}) {
  const request = async () => {
    await call('POST', 'account/transfer', { userId })
    toast(t('transfer.askedOwner', { name: name ?? email }))
    go('/account/settings')
  }
  return (
    <ConfirmButton
      name={t('transfer.button')}
      question={t('transfer.ask', { name: name ?? email })}
      confirm={t('transfer.yes')}
      typed={name ?? email}
      act={request}
    >
      <p>
        <T id="transfer.means" date={<DayIn seconds={waitSeconds} />} />
      </p>
    </ConfirmButton>
  )
}

/** What a manager can do for a member who has lost their second factor. */
function MemberFactors({
  person,
  reload,
}: {
  readonly person: Person
  readonly reload: () => Promise<void>
}) {
  const { userId, hasSecondFactor, factorResetAt, name, email } = person
  const path = `team/${userId}/second-factor/reset`
  const show = (text: string) => {
    toast(text)
    return reload()
  }
  // It may have been stopped meanwhile: sending the mail again must not begin another.
  const unlessGone = (error: unknown) => {
    if (!isNotFound(error)) throw error
    return show(t('error.NOT_FOUND'))
  }
  const resend = useAction(() =>
    call('POST', `${path}?only=pending`).then(() => show(t('invitations.sentAgain', { email })), unlessGone),
  )
  const cancel = useAction(() => call('DELETE', path).then(reload, unlessGone))
  if (factorResetAt)
    return (
      <Section title={t('factor.title')}>
        <Hint>
          <T id="memberFactors.pending" date={<When at={factorResetAt} />} />
        </Hint>
        <div className="actions">
          <ActionButton action={resend}>{t('memberFactors.resend')}</ActionButton>
          <ActionButton action={cancel}>{t('memberFactors.cancel')}</ActionButton>
          <Failure error={resend.error ?? cancel.error} />
        </div>
      </Section>
    )
  return (
    <Section title={t('factor.title')}>
      {hasSecondFactor ? (
        <>
          <p>{t('memberFactors.has')}</p>
          <div className="actions">
            <ConfirmButton
              name={t('memberFactors.reset')}
              question={t('memberFactors.resetAsk', { name: name ?? email })}
              confirm={t('memberFactors.resetYes')}
              act={() => call('POST', path).then(reload)}
            >
              <p>
                <T id="memberFactors.resetMeans" />
              </p>
            </ConfirmButton>
          </div>
        </>
      ) : (
        <p className="absent">
          {t('memberFactors.none')}
          {person.mustEnrol && ` ${t('memberFactors.mustEnrol')}`}
        </p>
      )}
    </Section>
  )
}

/** Where a team member is logged in. */
function MemberSessions({
  userId,
  sessions,
}: {
  readonly userId: string
  readonly sessions: Load<Sessions>
}) {
  const path = `team/${userId}/sessions`
  return (
    <Section title={t('sessions.title')}>
      <Loaded of={sessions} shape="rows">
        {({ sites }) => (
          <>
            <SessionList
              sites={sites}
              end={({ sid }) => call('DELETE', `${path}/${sid}`).then(sessions.reload)}
            />
            {sites.length > 0 && (
              <div className="actions">
                <ConfirmButton
                  name={t('memberSessions.end')}
                  question={t('memberSessions.endAsk')}
                  confirm={t('memberSessions.endYes')}
                  act={() => call('DELETE', path).then(sessions.reload)}
                >
                  <p>{t('memberSessions.endMeans')}</p>
                </ConfirmButton>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}
