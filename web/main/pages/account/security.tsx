import { useState } from 'react'
import { EmailField, NewPasswordField, PasswordField } from '../../../pieces/field.js'
import { Form } from '../../../pieces/form.js'
import { Success } from '../../../pieces/notice.js'
import { Page, Section } from '../../../pieces/page.js'
import { call } from '../../api.js'

export function SecurityPage() {
  return (
    <Page title="Password and e-mail">
      <Section title="Password">
        <PasswordChange />
      </Section>
      <Section title="E-mail address">
        <EmailChange />
      </Section>
    </Page>
  )
}

function PasswordChange() {
  const [isDone, setIsDone] = useState(false)
  return (
    <Form
      submit="Change the password"
      messages={{ INVALID_CREDENTIALS: 'The current password is wrong.' }}
      send={async ({ currentPassword, password }, form) => {
        setIsDone(false)
        await call('POST', 'password/change', { currentPassword, password })
        form.reset()
        setIsDone(true)
      }}
    >
      {isDone && <Success>Your password is changed. All your other sessions have ended.</Success>}
      <PasswordField name="currentPassword" label="Current password" />
      <NewPasswordField label="New password" />
    </Form>
  )
}

function EmailChange() {
  const [sentTo, setSentTo] = useState('')
  return (
    <Form
      submit="Change the e-mail address"
      send={async ({ email = '' }, form) => {
        setSentTo('')
        await call('POST', 'email/change', { email })
        form.reset()
        setSentTo(email)
      }}
    >
      {sentTo && (
        <Success>We have sent a mail to {sentTo}. Follow its link, and the address is yours.</Success>
      )}
      <EmailField label="New e-mail address" autoComplete="email" />
    </Form>
  )
}
