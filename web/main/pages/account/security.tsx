import { useState } from 'react'
import { EmailField } from '../../../pieces/forms/field.js'
import { Form } from '../../../pieces/forms/form.js'
import { PasswordForm } from '../../../pieces/forms/password-form.js'
import { Success } from '../../../pieces/notice.js'
import { Page, Section } from '../../../pieces/page.js'
import { call } from '../../api.js'

export function SecurityPage() {
  return (
    <Page title="Password and e-mail">
      <Section title="Password">
        <PasswordForm call={call} />
      </Section>
      <Section title="E-mail address">
        <EmailChange />
      </Section>
    </Page>
  )
}

function EmailChange() {
  const [sentTo, setSentTo] = useState('')
  return (
    <Form
      submit="Change e-mail address"
      send={async ({ email = '' }, form) => {
        setSentTo('')
        await call('POST', 'email/change', { email })
        form.reset()
        setSentTo(email)
      }}
    >
      {sentTo && (
        <Success>We have sent a mail to {sentTo}. Follow the link in it to confirm the address.</Success>
      )}
      <EmailField label="New e-mail address" autoComplete="email" />
    </Form>
  )
}
