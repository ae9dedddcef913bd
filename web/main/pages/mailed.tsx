import { isSecondFactorRequired, MainstayError } from '@mainstay-auth/client'
import { type ReactNode, useState } from 'react'
import { Field, Form, type Texts, useAction } from '../../pieces/forms.js'
import { Skeleton, useLoad } from '../../pieces/loading.js'
import { LoginSteps } from '../../pieces/login.js'
import { Failure, Hint, isRefusal, type Messages, Success, toast } from '../../pieces/notices.js'
import { SiteLinks, SmallPage, WayOn } from '../../pieces/page.js'
import { NewPasswordField, PasswordField, Whose } from '../../pieces/password.js'
import { Avatar } from '../../pieces/people.js'
import { go, Link, watchPage } from '../../pieces/router.js'
import { hostOf } from '../../pieces/site.js'
import { locale, t } from '../../pieces/t.js'
import { breakable, T } from '../../pieces/text.js'
import { When } from '../../pieces/time.js'
import {
  askAsAnybody,
  call,
  callAsAnybody,
  callAsWhoeverIsHere,
  type MailedLink,
  type Profile,
  type Transfer,
} from '../api.js'
import { rememberEmail, takeErrand } from '../between-pages.js'
import { client } from '../client.js'
import { readRequest } from './handoff-request.js'
import { ForgotLink } from './login.js'

const INVALID = new MainstayError(400, { code: 'INVALID_LINK' })

/**
 * A page that a mail leads to. Nothing happens until its button is pressed, because programs that scan
 * mails open links too. The token is removed from the address once it has been used.
 */
function MailedPage<T = null>({
  title,
  path,
  submit,
  doneTitle,
  done,
  finish,
  follow,
  next = () => <ToLogin />,
  send = callAsAnybody<T>,
  anew,
  messages,
  replaced,
  children,
  instead,
}: {
  readonly title: string
  /** Where to send the token, with the fields of the form. */
  readonly path: string
  readonly submit: string
  readonly doneTitle: string
  /** What has come of it. */
  readonly done: string | ((answer: T) => ReactNode)
  /** What to do afterwards; `isStillHere` says whether the person is. */
  readonly finish?: (answer: T, isStillHere: () => boolean) => Promise<void>
  /** The page that follows, if it is another than one that says what has come of it. */
  readonly follow?: (answer: T, link: MailedLink | null) => ReactNode
  /** Where to go next. */
  readonly next?: (answer: T) => ReactNode
  /** How to send it, if not anonymously. */
  readonly send?: (path: string, body: object) => Promise<T>
  /** How to get a new link, for people whose link is used or expired. */
  readonly anew?: ReactNode
  readonly messages?: Messages
  /** Who is logged in here, where the link logs in whom it is about. */
  readonly replaced?: string | undefined
  /** `link` is null while the service cannot say what it is about. */
  readonly children?: ReactNode | ((link: MailedLink | null) => ReactNode)
  /** An alternative, below the button. */
  readonly instead?: ReactNode
}) {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token'))
  const [answer, setAnswer] = useState<{ readonly body: T } | null>(null)
  const [isRefused, setIsRefused] = useState(false)
  const preview = useLoad(async () => {
    if (!token) throw INVALID
    return callAsAnybody<MailedLink>('mailed-links/preview', { token })
  })
  const link = preview.data
  const sendForm = async (texts: Texts) => {
    const isStillHere = watchPage()
    try {
      const body = await send(path, { ...filled(texts), token })
      history.replaceState(null, '', location.pathname)
      await finish?.(body, isStillHere)
      setAnswer({ body })
    } catch (error) {
      if (!isRefusal(error, 'INVALID_LINK')) throw error
      setIsRefused(true)
    }
  }
  const following = answer && follow?.(answer.body, link ?? null)
  if (following) return following
  if (answer)
    return (
      <SmallPage title={doneTitle}>
        <Success>{typeof done === 'string' ? done : done(answer.body)}</Success>
        {next(answer.body)}
      </SmallPage>
    )
  if (isRefused || isRefusal(preview.error, 'INVALID_LINK'))
    return (
      <SmallPage title={t('mailed.invalid')}>
        <Failure error={INVALID} />
        {anew}
      </SmallPage>
    )
  return (
    <SmallPage title={title}>
      {link || preview.error ? (
        <>
          <Form submit={submit} send={sendForm} messages={messages}>
            {link && <Subject of={link} />}
            {link && replaced && replaced !== link.email && (
              <Hint>{t('mailed.replaces', { email: replaced })}</Hint>
            )}
            {typeof children === 'function' ? children(link) : children}
          </Form>
          {instead && <p className="links">{instead}</p>}
        </>
      ) : (
        <Skeleton shape="fields" />
      )}
    </SmallPage>
  )
}

/** Whom it is about; password managers read it too. */
function Subject({ of: { email, accountName } }: { readonly of: MailedLink }) {
  return (
    <p className="someone">
      <Whose email={email} />
      <Avatar name={accountName ?? email} />
      <span>
        <strong>{breakable(accountName ?? email)}</strong>
        {accountName && <small>{breakable(email)}</small>}
      </span>
    </p>
  )
}

/** Empty fields are optional, and are not sent. */
function filled(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''))
}

/** Where to go from a mail, which may be about another user than the one who is logged in here. */
function ToLogin() {
  const { data: person } = useLoad(whoIsHere)
  const logIn = useAction(() => client.logout().then(() => go('/login')))
  if (!person) return <WayOn href="/login">{t('common.toLogin')}</WayOn>
  return (
    <>
      <WayOn href="/account">{t('mailed.goOn', { email: person.email })}</WayOn>
      <p className="links">
        <button type="button" className="link" onClick={() => void logIn.run()}>
          {t('mailed.logInAsOther')}
        </button>
      </p>
    </>
  )
}

async function whoIsHere(): Promise<Profile | null> {
  try {
    await client.refresh()
    return await call<Profile>('GET', 'profile')
  } catch {
    return null
  }
}

/**
 * The page of a link with which people choose their password, or prove it, and are logged in: they get where they were
 * going. People with a second factor are asked for it first.
 */
function LoginLinkPage({
  errand,
  ready,
  done,
  ...page
}: Omit<Parameters<typeof MailedPage>[0], 'send' | 'finish' | 'follow' | 'next' | 'done'> & {
  /** What had them get the link by mail, if anything had on this site. */
  readonly errand?: 'signup' | 'reset'
  /** What to say when they are logged in. */
  readonly ready: string
  /** What to say when they are not. */
  readonly done: string
}) {
  const [sites, setSites] = useState<readonly string[]>([])
  const { data: person } = useLoad(whoIsHere)
  const arrive = async (isStillHere: () => boolean) => {
    const next = (errand && takeErrand(errand)) ?? '/account'
    const found = await sitesOf(next)
    if (found.length > 0) return setSites(found)
    toast(ready)
    if (isStillHere()) go(next, { replace: true })
  }
  return (
    <MailedPage<MainstayError | null>
      {...page}
      replaced={person?.email}
      send={logInByLink}
      finish={async (refusal, isStillHere) => {
        if (!refusal) await arrive(isStillHere)
      }}
      follow={(refusal, link) =>
        sites.length === 0 &&
        isSecondFactorRequired(refusal) && (
          <LoginSteps
            client={client}
            begun={refusal}
            about={<Success>{page.doneTitle}</Success>}
            loginHint={link?.email ?? ''}
            onEmail={rememberEmail}
            forgot={<ForgotLink />}
            done={() => void arrive(watchPage())}
          />
        )
      }
      done={() => (sites.length > 0 ? ready : done)}
      next={() => (sites.length > 0 ? <ToSites origins={sites} /> : <ToLogin />)}
    />
  )
}

/** Null when that has logged in; the refusal when the link has done everything but that. */
async function logInByLink(path: string, body: object): Promise<MainstayError | null> {
  try {
    await client.loginBy(path, body)
    return null
  } catch (error) {
    if (error instanceof MainstayError && error.status < 300) return error
    throw error
  }
}

/**
 * The sites to which somebody goes on who has just logged in here: the satellite that they came from, or those to which
 * they are limited; none where they are at their goal.
 */
async function sitesOf(next: string): Promise<readonly string[]> {
  const request = next.startsWith('/handoff#') && readRequest(next.slice('/handoff'.length))
  try {
    // Not back to the hand-off: only the tab that has asked for it can take the answer.
    if (request) {
      await askAsAnybody(`handoff/satellite?origin=${encodeURIComponent(request.satellite)}`)
      return [request.satellite]
    }
    const { satellites } = await call<Profile>('GET', 'profile')
    return next === '/account' ? (satellites ?? []) : []
  } catch {
    return []
  }
}

/** For people who are logged in here, and work elsewhere. */
function ToSites({ origins }: { readonly origins: readonly string[] }) {
  return (
    <>
      <div className="actions">
        <SiteLinks origins={origins} look={origins.length > 1 ? 'button' : 'button primary'} />
      </div>
      <p className="links">
        <Link href="/account">{t('handoff.toAccount', { host: location.host })}</Link>
      </p>
    </>
  )
}

export function VerifyEmailPage() {
  return (
    <LoginLinkPage
      title={t('verifyEmail.title')}
      path="signup/verify"
      errand="signup"
      submit={t('common.confirm')}
      messages={{ INVALID_CREDENTIALS: t('verifyEmail.wrongPassword') }}
      ready={t('verifyEmail.ready')}
      doneTitle={t('verifyEmail.doneTitle')}
      done={t('verifyEmail.done')}
      anew={<WayOn href="/signup">{t('verifyEmail.anew')}</WayOn>}
    >
      <p>{t('verifyEmail.about')}</p>
      <PasswordField />
    </LoginLinkPage>
  )
}

export function AcceptInvitationPage() {
  return (
    <LoginLinkPage
      title={t('invited.title')}
      path="invitations/accept"
      submit={t('invited.submit')}
      ready={t('invited.ready')}
      doneTitle={t('invited.doneTitle')}
      done={t('invited.done')}
      anew={<p>{t('invited.anew')}</p>}
    >
      {link => (
        <>
          <p>
            {breakable(link?.invitedBy ? t('invited.by', { inviter: link.invitedBy }) : t('invited.about'))}
            {link?.satellites?.[0] && (
              <> {breakable(t('invited.sites', { sites: listOf(link.satellites) }))}</>
            )}
          </p>
          <Field label={t('field.nameOptional')} name="name" autoComplete="name" maxLength={100} />
          <NewPasswordField person={link && { email: link.email, name: null }} />
        </>
      )}
    </LoginLinkPage>
  )
}

function listOf(origins: readonly string[]): string {
  return new Intl.ListFormat(locale()).format(origins.map(hostOf))
}

export function ResetPasswordPage() {
  return (
    <LoginLinkPage
      title={t('resetPassword.title')}
      path="password/reset"
      errand="reset"
      submit={t('resetPassword.submit')}
      ready={t('resetPassword.ready')}
      doneTitle={t('resetPassword.doneTitle')}
      done={t('resetPassword.done')}
      anew={<WayOn href="/forgot-password">{t('common.newLink')}</WayOn>}
    >
      {link => (
        <NewPasswordField label={t('password.new')} person={link && { email: link.email, name: null }} />
      )}
    </LoginLinkPage>
  )
}

/**
 * In the browser where the change was requested, the session is proof enough; elsewhere the page asks for the
 * password.
 */
export function ConfirmEmailPage() {
  const [needsPassword, setNeedsPassword] = useState(false)
  const send = async (path: string, body: object) => {
    try {
      return await callAsWhoeverIsHere<null>(path, body)
    } catch (error) {
      if (error instanceof MainstayError && error.code === 'REAUTHENTICATION_REQUIRED') setNeedsPassword(true)
      throw error
    }
  }
  return (
    <MailedPage
      title={t('newEmail.title')}
      path="email/confirm"
      submit={t('newEmail.submit')}
      doneTitle={t('newEmail.doneTitle')}
      done={t('newEmail.done')}
      send={send}
      anew={<WayOn href="/account/security">{t('common.newLink')}</WayOn>}
      messages={{
        REAUTHENTICATION_REQUIRED: t('newEmail.passwordToo'),
        INVALID_CREDENTIALS: t('password.wrong'),
      }}
    >
      <p>{t('newEmail.about')}</p>
      {needsPassword && <PasswordField label={t('newEmail.password')} />}
    </MailedPage>
  )
}

export function AcceptTransferPage() {
  return (
    <MailedPage<Transfer>
      title={t('newOwner.title')}
      path="account/transfer/accept"
      submit={t('newOwner.submit')}
      doneTitle={t('newOwner.doneTitle')}
      done={({ readyAt }) => <T id="newOwner.done" date={<When at={readyAt} />} />}
      anew={<p>{t('newOwner.anew')}</p>}
    >
      <p>{t('newOwner.about')}</p>
    </MailedPage>
  )
}

/** For users who have lost their second factor, and for users who have not and must learn of it. */
export function FactorResetPage() {
  const [isWrong, setIsWrong] = useState(false)
  if (isWrong) return <StopFactorResetPage />
  return (
    <MailedPage
      title={t('factorReset.title')}
      path="second-factor-reset/confirm"
      submit={t('factorReset.submit')}
      doneTitle={t('factorReset.doneTitle')}
      done={t('factorReset.done')}
      anew={<p>{t('factorReset.anew')}</p>}
      instead={
        <button type="button" className="link" onClick={() => setIsWrong(true)}>
          {t('factorReset.notMe')}
        </button>
      }
    >
      <p>{t('factorReset.about')}</p>
      <p>{t('factorReset.onlyIf')}</p>
    </MailedPage>
  )
}

export function StopFactorResetPage() {
  return (
    <MailedPage
      title={t('factorKeep.title')}
      path="second-factor-reset/stop"
      submit={t('factorKeep.submit')}
      doneTitle={t('factorKeep.doneTitle')}
      done={t('factorKeep.done')}
      next={() => <WayOn href="/account/security">{t('factorKeep.next')}</WayOn>}
      anew={<WayOn href="/account/security">{t('factorKeep.next')}</WayOn>}
    >
      <p>{t('factorKeep.about')}</p>
    </MailedPage>
  )
}

export function UndoEmailPage() {
  return (
    <MailedPage
      title={t('undoEmail.title')}
      path="email/undo"
      submit={t('undoEmail.submit')}
      doneTitle={t('undoEmail.doneTitle')}
      done={t('undoEmail.done')}
      anew={<WayOn href="/forgot-password">{t('resetPassword.title')}</WayOn>}
    >
      <p>
        <T id="undoEmail.about" />
      </p>
    </MailedPage>
  )
}

export function NotMePage() {
  return (
    <MailedPage
      title={t('notMe.title')}
      path="sessions/not-me"
      submit={t('notMe.submit')}
      doneTitle={t('notMe.doneTitle')}
      done={t('notMe.done')}
      anew={<WayOn href="/forgot-password">{t('resetPassword.title')}</WayOn>}
    >
      <p>{t('notMe.about')}</p>
    </MailedPage>
  )
}

export function StopTransferPage() {
  return (
    <MailedPage
      title={t('stopTransfer.title')}
      path="account/transfer/stop"
      submit={t('stopTransfer.title')}
      doneTitle={t('stopTransfer.doneTitle')}
      done={t('stopTransfer.done')}
      next={() => <WayOn href="/forgot-password">{t('resetPassword.title')}</WayOn>}
      anew={<WayOn href="/account/settings">{t('stopTransfer.anew')}</WayOn>}
    >
      <p>{t('stopTransfer.about')}</p>
    </MailedPage>
  )
}
