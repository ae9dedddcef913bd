import { useState } from 'react'
import { ActionButton } from '../../../pieces/button.js'
import { Field } from '../../../pieces/field.js'
import { Form } from '../../../pieces/form.js'
import { Failure, Success } from '../../../pieces/notice.js'
import { Page, Section } from '../../../pieces/page.js'
import { useAction } from '../../../pieces/use-action.js'
import { useLoad } from '../../../pieces/use-load.js'
import { Loaded } from '../../../pieces/waiting.js'
import type { Profile } from '../../answers.js'
import { call } from '../../api.js'
import { download } from '../../download.js'

export function ProfilePage() {
  const profile = useLoad(() => call<Profile>('GET', 'profile'))
  const save = useAction(() => download('profile/export', 'person.json'))
  return (
    <Page title="Profile">
      <Section title="Your name">
        <Loaded of={profile}>{({ name }) => <Name name={name} />}</Loaded>
      </Section>
      <Section title="Your data">
        <p>Everything that is stored about you, as a file.</p>
        <Failure error={save.error} />
        <div className="actions">
          <ActionButton action={save}>Export my data</ActionButton>
        </div>
      </Section>
    </Page>
  )
}

function Name({ name }: { readonly name: string | null }) {
  const [isSaved, setIsSaved] = useState(false)
  return (
    <Form
      submit="Save the name"
      send={async texts => {
        setIsSaved(false)
        await call('PATCH', 'profile', { name: texts.name?.trim() ?? '' })
        setIsSaved(true)
      }}
    >
      {isSaved && <Success>Your name is saved.</Success>}
      <Field
        label="Name"
        name="name"
        defaultValue={name ?? ''}
        autoComplete="name"
        maxLength={100}
        required
      />
    </Form>
  )
}
