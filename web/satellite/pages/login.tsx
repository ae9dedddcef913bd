import { EmailField, PasswordField } from '../../pieces/field.js'
import { Form } from '../../pieces/form.js'
import { Hint } from '../../pieces/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { hostOf, site } from '../../pieces/site.js'
import { client } from '../client.js'

export function LoginPage({ hasEnded }: { readonly hasEnded: boolean }) {
  return (
    <SmallPage title="Log in">
      {hasEnded && <Hint>You have been logged out.</Hint>}
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
