import { LoginForm } from '@mainstay-auth/react'

export default function FormPage() {
  return <LoginForm defaultEmail="rosa@example.com" passkeys />
}
