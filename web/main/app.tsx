import { useEffect } from '../pieces/activity.js'
import { drawn } from '../pieces/draw.js'
import { lazyPage } from '../pieces/loading.js'
import { go, usePlace } from '../pieces/router.js'
import { SessionGate } from '../pieces/session-gate.js'
import { client, needsSession } from './client.js'
import { EnrolmentGate } from './enrolment.js'
import { HandOffPage } from './pages/handoff.js'
import { ForgotPasswordPage, LoginPage } from './pages/login.js'
import {
  AcceptInvitationPage,
  AcceptTransferPage,
  ConfirmEmailPage,
  FactorResetPage,
  NotMePage,
  ResetPasswordPage,
  StopFactorResetPage,
  StopTransferPage,
  UndoEmailPage,
  VerifyEmailPage,
} from './pages/mailed.js'
import { NotFoundPage } from './pages/not-found.js'
import { SignupPage } from './pages/signup.js'

/** Public pages; src/pages/site.ts knows the same paths. */
const PUBLIC_PAGES = {
  '/handoff': HandOffPage,
  '/signup': SignupPage,
  '/verify-email': VerifyEmailPage,
  '/forgot-password': ForgotPasswordPage,
  '/reset-password': ResetPasswordPage,
  '/accept-invitation': AcceptInvitationPage,
  '/confirm-email': ConfirmEmailPage,
  '/undo-email': UndoEmailPage,
  '/not-me': NotMePage,
  '/accept-transfer': AcceptTransferPage,
  '/stop-transfer': StopTransferPage,
  '/factor-reset': FactorResetPage,
  // Linked in mails from the previous release.
  '/stop-factor-reset': StopFactorResetPage,
}

const loadAccountPages = () => import('./account-pages.js')
const AccountPages = lazyPage(() => loadAccountPages().then(pages => pages.AccountPages))
const SubscribePage = lazyPage(() => loadAccountPages().then(pages => pages.SubscribePage))

export const drawOn = drawn(() => <App />)

function App() {
  // Most people who open this site go there next, so it is loaded while they log in.
  useEffect(() => {
    for (const { preload } of [AccountPages, SubscribePage]) preload().catch(() => undefined)
  }, [])
  const { path, query, hash } = usePlace()
  const PublicPage = PUBLIC_PAGES[path as keyof typeof PUBLIC_PAGES]
  // Another link to the same page comes with another part after the #.
  if (PublicPage) return <PublicPage key={hash} />
  if (!needsSession(path)) return <NotFoundPage />
  return (
    <SessionGate client={client} login={news => <LoginPage news={news} />}>
      {caller => (
        <EnrolmentGate key={caller.userId}>
          {path === '/subscribe' ? (
            <SubscribePage caller={caller} returnUrl={query.get('return')} />
          ) : path.startsWith('/account') ? (
            <AccountPages caller={caller} path={path} />
          ) : (
            <ToAccount />
          )}
        </EnrolmentGate>
      )}
    </SessionGate>
  )
}

/** The front page for people who are logged in. */
function ToAccount() {
  useEffect(() => void go('/account', { replace: true }), [])
  return null
}
