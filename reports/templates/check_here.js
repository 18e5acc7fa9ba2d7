// The button that has the certificates of this page read by the program that is proved correct. The content policy of
// the page lets that program run by its SHA-256 alone.
(() => {
  const section = document.getElementById("check_here");
  const button = section.querySelector("button");
  const answers = section.querySelector("ul");
  const said = section.querySelector("[role=status]");

  async function unpacked(packed) {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  }

  function line(path, answer) {
    const row = document.createElement("li");
    const link = document.createElement("a");
    const words = document.createElement("span");
    link.href = link.textContent = path;
    const accepted = answer.startsWith("accepted");
    words.textContent = accepted ? `${answer}; checked by a proved program` : answer;
    row.append(link, words);
    row.dataset.answer = answer.split(":", 1)[0];
    answers.append(row);
  }

  async function check() {
    button.disabled = true;
    answers.replaceChildren();
    said.textContent = "unpacking the program";
    try {
      if (!globalThis.tdcertConvergence) {
        const program = document.createElement("script");
        program.textContent = await unpacked(section.dataset.program);
        document.head.append(program); // it runs now, or never: its SHA-256 is not the one that is allowed
      }
      const { models, files } = JSON.parse(await unpacked(section.dataset.certificates));
      let accepted = 0;
      for (const { path, digest, body } of files) {
        said.textContent = `reading ${path}`;
        await new Promise((shown) => setTimeout(shown)); // so that the page shows it
        const answer = globalThis.tdcertConvergence(`${body.slice(0, -1)},"model":${models[digest]}}`);
        line(path, answer);
        accepted += answer.startsWith("accepted");
      }
      const others = Number(section.dataset.others);
      const rest = others ? `; tdcert check reads ${others} more` : "";
      said.textContent = `${accepted} of ${files.length} accepted by a proved program${rest}.`;
    } catch (error) {
      said.textContent = `This browser could not run the program (${error.message}); tdcert check reads the files.`;
    }
    button.disabled = false;
  }

  section.querySelector("p[hidden]").hidden = false;
  button.addEventListener("click", check);
})();
