// SPDX-License-Identifier: Apache-2.0
// Small things that all scripts of a page need.
const tracefindDom = {
	// A new element; foreign text only as text.
	element: function (name, text, attributes) {
		const e = document.createElement(name);

		if (name === "button")
			e.type = "button";
		e.textContent = text || "";
		Object.keys(attributes || {}).forEach(key =>
			e.setAttribute(key, attributes[key]));
		return e;
	},
	save: function (blob, name) {
		const a = tracefindDom.element("a", "", { download: name });

		a.href = URL.createObjectURL(blob);
		a.click();
		setTimeout(() => URL.revokeObjectURL(a.href), 60000);
	},
	saveSvg: (svg, name) => tracefindDom.save(new Blob([new XMLSerializer()
		.serializeToString(svg)], { type: "image/svg+xml" }), name),
	// Whether the text is in the clipboard then. Where scripts may not write to
	// it, what is selected is copied as by a key.
	copy: function (text) {
		const byKey = function () {
			const area = tracefindDom.element("textarea", text,
				{ "class": "vh" });
			const was = document.activeElement;

			document.body.append(area);
			area.select();
			const is = document.execCommand("copy");

			area.remove();
			was.focus({ preventScroll: true });
			return is;
		};

		return navigator.clipboard ? navigator.clipboard.writeText(text)
			.then(() => true, byKey) : Promise.resolve(byKey());
	},
	all: (selector, from) =>
		Array.from((from || document).querySelectorAll(selector)),
	// Whether a key is meant for the page, not for what is typed or chosen.
	isFree: e => !e.ctrlKey && !e.metaKey && !e.altKey &&
		!/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName),
};
