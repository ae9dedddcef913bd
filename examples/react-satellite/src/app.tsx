import { MainstayError } from '@mainstay-auth/client'
import { LoginForm, MainstayProvider, Permitted, SignedIn, SignedOut, UserButton } from '@mainstay-auth/react'
import { type FormEvent, useEffect, useState } from 'react'
import { client, completeHandOff, loginThroughMain } from './session.js'

/** The workshop of a bicycle shop: users who may enter data take in repairs, users who may see reports see how many. */
export function App() {
  return (
    <MainstayProvider client={client}>
      <header>
        <p className="name">Ludlow Cycles workshop</p>
        <UserButton />
      </header>
      <main>
        <SignedOut>
          <Login />
        </SignedOut>
        <SignedIn fallback={<p role="status">One moment …</p>}>
          <Workshop />
        </SignedIn>
      </main>
    </MainstayProvider>
  )
}

const ASKED_BY_MAIN = ['HANDOFF_REQUIRED', 'OWNER_LOGIN_BARRED']
const PROBLEMS: Readonly<Record<string, string>> = {
  access_denied: 'You cancelled on the main site.',
  not_invited: 'Your account is not invited to this site.',
  expired: 'That took too long. Please log in again.',
}

function Login() {
  const [problem, setProblem] = useState('')
  useEffect(() => {
    // People come back from the main site with an answer in the address.
    completeHandOff()
      .then(result => {
        // Back to where they were. The result stays the same for as long as the page, so only from where it arrived.
        if (result && location.pathname === '/handoff-callback')
          history.replaceState(history.state, '', result.path)
        if (result?.status === 'refused') setProblem(PROBLEMS[result.reason] ?? 'You are not logged in.')
      })
      .catch(() => setProblem('We could not log you in. Please try again.'))
  }, [])
  const leaveForMain = (options?: { loginHint?: string | undefined }) => {
    loginThroughMain(options).catch(() =>
      setProblem('Please allow this site to store data in your browser, then try again.'),
    )
  }
  const leaveWhereNeeded = (error: unknown, email: string | null) => {
    // The main site knows how to ask for what may not be typed here.
    if (error instanceof MainstayError && ASKED_BY_MAIN.includes(error.code))
      leaveForMain({ loginHint: email ?? undefined })
  }
  return (
    <section>
      <h1>Staff login</h1>
      <p role="status">{problem}</p>
      <button type="button" onClick={() => leaveForMain()}>
        Continue on the main site
      </button>
      <p>or with your password</p>
      <LoginForm onRefusal={leaveWhereNeeded} />
    </section>
  )
}

function Workshop() {
  const [repairs, setRepairs] = useState<readonly string[]>([
    'Town bike: new brake cables',
    'Tandem: flat tyre',
  ])
  const take = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const repair = String(new FormData(event.currentTarget).get('repair')).trim()
    event.currentTarget.reset()
    if (repair) setRepairs([...repairs, repair])
  }
  return (
    <section>
      <h1>Repairs</h1>
      <ul>
        {repairs.map(repair => (
          <li key={repair}>{repair}</li>
        ))}
      </ul>
      <Permitted permission="dataEntry" otherwise={<p>You may look, and not enter anything.</p>}>
        <form onSubmit={take}>
          <label>
            Another repair <input name="repair" maxLength={100} required />
          </label>
          <button type="submit">Take it in</button>
        </form>
      </Permitted>
      <Permitted permission="viewReports">
        <h2>Today</h2>
        <p>{repairs.length} repairs</p>
      </Permitted>
    </section>
  )
}
