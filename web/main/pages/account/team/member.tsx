import type { Caller } from '@mainstay-auth/client'
import { Fact } from '../../../../pieces/fact.js'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { Form } from '../../../../pieces/forms/form.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { Failure, Hint } from '../../../../pieces/notice.js'
import { Page, Section } from '../../../../pieces/page.js'
import { PermissionList } from '../../../../pieces/permission-list.js'
import { go, Link } from '../../../../pieces/router.js'
import { toast } from '../../../../pieces/toasts.js'
import { useLoad } from '../../../../pieces/use-load.js'
import { Loaded } from '../../../../pieces/waiting.js'
import { Ago, Day } from '../../../../pieces/when.js'
import type { Person } from '../../../answers.js'
import { call } from '../../../api.js'
import { isNotFound, NotFoundHere } from '../../not-found.js'
import { Transfer } from '../transfer.js'
import { MemberFactors } from './member-factors.js'
import { MemberSessions } from './member-sessions.js'
import { PermissionBoxes, permissionsIn } from './permission-boxes.js'
import { SatelliteBoxes, satellitesIn } from './satellite-boxes.js'

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
    <Page title={person.data ? nameOf(person.data) : 'Member'}>
      <p>
        <Link href="/account/team">← Back to the team</Link>
      </p>
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
    <Section title="Person">
      <dl>
        <Fact name="E-mail">{email}</Fact>
        <Fact name="Role">{role === 'owner' ? 'Owner' : 'Member'}</Fact>
        <Fact name="Since">
          <Day at={createdAt} />
        </Fact>
        <Fact name="Last login">{lastLoginAt ? <Ago at={lastLoginAt} /> : 'Never'}</Fact>
        {isDisabled && <Fact name="State">Disabled: cannot log in</Fact>}
      </dl>
      {!isFixed && <Standing {...props} />}
    </Section>
  )
}

/** Of the owner, and of the manager who looks at them. */
function FixedRights({ person: { permissions, role } }: Pick<MemberProps, 'person'>) {
  return (
    <Section title="Permissions">
      <PermissionList permissions={permissions} />
      <Hint>
        {role === 'owner'
          ? 'The owner always has all permissions.'
          : 'You cannot change your own permissions; ask somebody else who manages the team.'}
      </Hint>
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
    <Section title="Access">
      <Form
        submit="Save permissions"
        send={(_, form) => put('permissions', permissionsIn(form), 'Permissions saved.')}
      >
        <PermissionBoxes given={person.permissions} mayGive={caller.permissions} />
      </Form>
      <Form
        submit="Save sites"
        send={(_, form) =>
          put(
            'satellites',
            { satellites: satellitesIn(form) },
            'Sites saved. Sessions on other sites have ended.',
          )
        }
      >
        <SatelliteBoxes chosen={person.satellites} />
      </Form>
    </Section>
  )
}

function nameOf({ name, email }: Person): string {
  return name ?? email
}

/** Whether they may log in, and whether they stay. */
function Standing({ person, reload }: MemberProps) {
  const { userId, isDisabled } = person
  const name = nameOf(person)
  const enable = useAction(() => call('POST', `team/${userId}/enable`).then(reload))
  return (
    <>
      <Failure error={enable.error} />
      <div className="actions">
        {isDisabled ? (
          <ActionButton action={enable}>Enable</ActionButton>
        ) : (
          <>
            <Transfer person={person} />
            <ConfirmButton
              name="Disable"
              question={`Disable ${name}?`}
              confirm="Disable this member"
              act={() => call('POST', `team/${userId}/disable`).then(reload)}
            >
              <p>All their sessions end, and they cannot log in until they are enabled again.</p>
            </ConfirmButton>
          </>
        )}
        <ConfirmButton
          name="Remove"
          question={`Remove ${name} from the team?`}
          confirm="Remove this member"
          act={async () => {
            await call('DELETE', `team/${userId}`)
            toast(`${name} is no longer in the team, and has been logged out everywhere.`)
            go('/account/team')
          }}
        >
          <p>They can only come back through a new invitation. What they did stays in the audit log.</p>
        </ConfirmButton>
      </div>
    </>
  )
}
