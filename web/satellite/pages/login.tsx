import type { ReactNode } from 'react'
import { EmailField, PasswordField } from '../../pieces/forms/field.js'
import { Form } from '../../pieces/forms/form.js'
import { SmallPage } from '../../pieces/page.js'
import { hostOf, site } from '../../pieces/site.js'
import { client } from '../client.js'

export function LoginPage({ news }: { readonly news: ReactNode }) {
  return (
    <SmallPage title="Log in">
      {news}
      <Form submit="Log in" send={({ email = '', password = '' }) => client.login({ email, password })}>
        <EmailField />
        <PasswordField />
      </Form>
      <p className="links">
        <a href={`${site.mainUrl}/forgot-password`}>Forgot your password?</a>
        <a href={`${site.mainUrl}/`}>Go to {hostOf(site.mainUrl)}</a>
      </p>
    </SmallPage>
  )
}
