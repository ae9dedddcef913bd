import { LoginForm, Permitted, SignedIn, SignedOut, UserButton } from '@mainstay-auth/react'

// A server component: whatever it asks a database for stays on the server.
export default async function Page() {
  const madeOnTheServer = await Promise.resolve('made on the server')
  return (
    <main>
      <p>{madeOnTheServer}</p>
      <SignedIn fallback={<p>One moment …</p>}>
        <UserButton />
        <Permitted permission="payments">
          <p>For those who pay</p>
        </Permitted>
      </SignedIn>
      <SignedOut>
        <LoginForm />
      </SignedOut>
    </main>
  )
}
