import { itemStorage, satelliteClient } from '@mainstay-auth/client'
import { MainstayProvider, Permitted, SignedIn, SignedOut, SignIn, UserButton } from '@mainstay-auth/react'
import { type FormEvent, useState } from 'react'

/** Set when the site is built; start.mjs does that here. */
declare const MAINSTAY_URL: string

/** One for the whole site: every tab shares the session. */
const client = satelliteClient({ baseUrl: MAINSTAY_URL, storage: itemStorage(() => localStorage) })

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
          <SignIn heading="Staff login" level={1} />
        </SignedOut>
        <SignedIn fallback={<p role="status">One moment …</p>}>
          <Workshop />
        </SignedIn>
      </main>
    </MainstayProvider>
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
    <section className="workshop">
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
