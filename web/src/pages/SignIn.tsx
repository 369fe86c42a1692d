import { useState } from "react";
import { signIn, useProofs } from "../session";

export function SignIn({ page }: { page: string }) {
  const { ended } = useProofs();
  const [text, setText] = useState("");
  return (
    <div className="sign-in">
      <h1>Sign in</h1>
      {ended ? (
        <p className="problem" role="alert">
          {ended}
        </p>
      ) : null}
      <p>
        “{page}” is for admins. Open the sign-in link that <code>make run</code> printed, or paste a token.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // A whole sign-in link does too.
          const token = text.trim().replace(/^.*#token=/, "");
          if (token) signIn(token);
        }}
      >
        <label htmlFor="token">Admin token</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="main">
          Sign in
        </button>
      </form>
      <p className="faint small">
        A new token: <code>freshet admin-token</code>, on the machine that runs Freshet. It is kept until this
        tab is closed.
      </p>
    </div>
  );
}
