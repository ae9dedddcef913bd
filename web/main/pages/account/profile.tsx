import { ActionButton } from '../../../pieces/forms/button.js'
import { useAction } from '../../../pieces/forms/use-action.js'
import { Failure } from '../../../pieces/notice.js'
import { Page, Section } from '../../../pieces/page.js'
import { useLoad } from '../../../pieces/use-load.js'
import { Loaded } from '../../../pieces/waiting.js'
import type { Profile } from '../../answers.js'
import { call } from '../../api.js'
import { download } from '../../download.js'
import { NameForm } from './name-form.js'

export function ProfilePage() {
  const profile = useLoad(() => call<Profile>('GET', 'profile'))
  const save = useAction(() => download('profile/export', 'person.json'))
  return (
    <Page title="Profile">
      <Section title="Your name">
        <Loaded of={profile}>
          {({ name }) => (
            <NameForm path="profile" label="Name" name={name} autoComplete="name" saved="Name saved." />
          )}
        </Loaded>
      </Section>
      <Section title="Your data">
        <p>Download everything that we store about you.</p>
        <Failure error={save.error} />
        <div className="actions">
          <ActionButton action={save}>Export my data</ActionButton>
        </div>
      </Section>
    </Page>
  )
}
