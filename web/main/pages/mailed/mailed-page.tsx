import { MainstayError } from '@mainstay-auth/client'
import { type ReactNode, useState } from 'react'
import { Form, type Texts } from '../../../pieces/forms/form.js'
import { Whose } from '../../../pieces/forms/password/password-fields.js'
import { breakable } from '../../../pieces/language/breakable.js'
import { t } from '../../../pieces/language/t.js'
import { useLoad } from '../../../pieces/loading/use-load.js'
import { Skeleton } from '../../../pieces/loading/waiting.js'
import type { Messages } from '../../../pieces/notices/messages.js'
import { Failure, Success } from '../../../pieces/notices/notice.js'
import { isRefusal } from '../../../pieces/notices/refusal.js'
import { SmallPage } from '../../../pieces/page.js'
import { Avatar } from '../../../pieces/people/avatar.js'
import type { MailedLink } from '../../answers.js'
import { callAsAnybody } from '../../api.js'
import { ToLogin } from './to-login.js'

const INVALID = new MainstayError(400, { code: 'INVALID_LINK' })

/**
 * A page that a mail leads to. Nothing happens until somebody presses its button, because programs that scan
 * mails open links too. The token is removed from the address once it has been used.
 */
export function MailedPage<T = null>({
  title,
  path,
  submit,
  doneTitle,
  done,
  finish,
  next = () => <ToLogin />,
  send = callAsAnybody<T>,
  anew,
  messages,
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
  /** What to do afterwards; if that fails, it is left to the person. */
  readonly finish?: (texts: Texts) => Promise<void>
  /** Where to go next. */
  readonly next?: (answer: T) => ReactNode
  /** How to send it, if not anonymously. */
  readonly send?: (path: string, body: object) => Promise<T>
  /** How to get a new link, for people whose link is used or expired. */
  readonly anew?: ReactNode
  readonly messages?: Messages
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
    try {
      const body = await send(path, { ...filled(texts), token })
      history.replaceState(null, '', location.pathname)
      await finish?.(texts).catch(() => undefined)
      setAnswer({ body })
    } catch (error) {
      if (!isRefusal(error, 'INVALID_LINK')) throw error
      setIsRefused(true)
    }
  }
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
        <Form submit={submit} send={sendForm} messages={messages}>
          {link && <Subject of={link} />}
          {typeof children === 'function' ? children(link) : children}
        </Form>
      ) : (
        <Skeleton shape="fields" />
      )}
      {instead && <p className="links">{instead}</p>}
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
