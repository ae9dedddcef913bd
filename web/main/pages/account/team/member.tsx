import type { Caller } from '@mainstay-auth/client'
import { Fact } from '../../../../pieces/fact.js'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { Form } from '../../../../pieces/forms/form.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { t } from '../../../../pieces/language/t.js'
import { useLoad } from '../../../../pieces/loading/use-load.js'
import { Loaded } from '../../../../pieces/loading/waiting.js'
import { Failure, Hint } from '../../../../pieces/notices/notice.js'
import { toast } from '../../../../pieces/notices/toasts.js'
import { Page, Section } from '../../../../pieces/page.js'
import { PermissionList } from '../../../../pieces/people/permission-list.js'
import { go } from '../../../../pieces/router.js'
import { BackLink } from '../../../../pieces/shell/back-link.js'
import { Ago, Day } from '../../../../pieces/time/when.js'
import type { Person } from '../../../answers.js'
import { call } from '../../../api.js'
import { isNotFound, NotFoundHere } from '../../not-found.js'
import { Transfer } from '../transfer.js'
import { MemberFactors } from './member-factors.js'
import { MemberSessions } from './member-sessions.js'
import { PermissionBoxes, permissionChangesIn } from './permission-boxes.js'
import { SatelliteBoxes, satelliteChangesIn } from './satellite-boxes.js'

interface MemberProps {
  readonly person: Person
  readonly caller: Caller
  readonly reload: () => Promise<void>
}

/** One person of the team, and what a manager can do about them. */
export function MemberPage({ userId, caller }: { readonly userId: string; readonly caller: Caller }) {
  const person = useLoad(() => call<Person>('GET', `team/${userId}`))
  if (isNotFound(person.error)) return <NotFoundHere />
  return (
    <Page
      title={person.data ? nameOf(person.data) : t('role.member')}
      back={<BackLink href="/account/team">{t('member.back')}</BackLink>}
    >
      <Loaded of={person}>{found => <Member person={found} caller={caller} reload={person.reload} />}</Loaded>
    </Page>
  )
}

function Member(props: MemberProps) {
  const { person, caller, reload } = props
  const isCaller = person.userId === caller.userId
  const isFixed = person.role === 'owner' || isCaller
  return (
    <div className="columns">
      <div>
        <About {...props} isFixed={isFixed} />
        {isFixed ? <FixedRights person={person} /> : <Rights {...props} />}
      </div>
      <div>
        {!isFixed && <MemberFactors person={person} reload={reload} />}
        {(person.role !== 'owner' || isCaller) && <MemberSessions userId={person.userId} />}
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

function Rights({ person, caller, reload }: MemberProps) {
  const put = async (what: 'permissions' | 'satellites', body: object, message: string) => {
    await call('PUT', `team/${person.userId}/${what}`, body)
    await reload()
    toast(message)
  }
  return (
    <>
      <Section title={t('member.access')}>
        <Form
          submit={t('member.savePermissions')}
          send={(_, form) => put('permissions', permissionChangesIn(form), t('member.permissionsSaved'))}
        >
          <PermissionBoxes given={person.permissions} mayGive={caller.permissions} />
        </Form>
      </Section>
      <Section title={t('team.sites')}>
        <Form
          submit={t('member.saveSites')}
          send={(_, form) =>
            put('satellites', satelliteChangesIn(form, person.satellites), t('member.sitesSaved'))
          }
        >
          <SatelliteBoxes chosen={person.satellites} />
        </Form>
      </Section>
    </>
  )
}

function nameOf({ name, email }: Person): string {
  return name ?? email
}

/** Whether they may log in, and whether they stay in the team. */
function Standing({ person, reload }: MemberProps) {
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
            <Transfer person={person} />
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
