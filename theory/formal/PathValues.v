(* Values of the algorithms along a path: how the algorithms of the Python side are compared.

   The definitions of thm_4_3.v and OffPolicy.v do not compute; the functions below do, on lists of fractions, and are
   proved to have their values. A test draws models, paths, and what Python finds on them; that Coq's definition has this
   value is then a theorem whose proof is a computation.

   An observation o = (a, s) is a pair of numbers; a path is a list of them, the latest first; gamma, rho, reward are
   functions of s_t and o_{t+1}; alpha and beta list the steps from s_0, s_1, …; what is not listed is zero.

     path_trace h                          Windows.td_trace
     path_td_z o' h                        OffPolicy.td_z
     path_td h                             OffPolicy.off_policy_td; thm_4_3.td where ρ = 1 and γ is constant
     path_gradient false h, true h         OffPolicy.gtd, OffPolicy.tdc
     fraction_ratio mu pi                  Policies.ratio *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra ring.
From TD Require Import Schedule Forms Traces Windows Policies OffPolicy thm_4_3 Rationals Matrices.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition fraction_inverse (a : Q) : Q :=
  match Qnum a with Z0 => qzero | Zpos x => Qmake (Zpos (Qden a)) x | Zneg x => Qmake (Zneg (Qden a)) x end.
Definition fraction_ratio (mu pi : mat) (i : nat) (o : nat * nat) : Q :=
  qmul (entry pi i o.1) (fraction_inverse (entry mu i o.1)).

Section Compute.
Variables (m : nat) (features : mat) (lambdas : vec) (gamma rho reward : nat -> nat * nat -> Q).
Variables (alpha beta : vec) (theta0 w0 : mat).
Implicit Types (h : seq (nat * nat)) (o : nat * nat).

Definition path_phi i : mat := table m 1 (fun j _ => entry features i j).
Fixpoint path_lags (lams : vec) h : mat :=
  if h is o' :: h' then
    if h' is o :: _ then
      plus m 1 (path_phi o'.2)
        (scale m 1 (qmul (head qzero lams) (qmul (gamma o.2 o') (rho o.2 o'))) (path_lags (behead lams) h'))
    else path_phi o'.2
  else [::].
Definition path_trace h : mat := path_lags lambdas h.
Definition path_td_z o' h : mat := if h is o :: _ then scale m 1 (rho o.2 o') (path_trace h) else [::].

Definition path_dot (x y : mat) : Q := entry (times 1 m 1 (transpose m 1 x) y) 0 0.
Definition path_delta theta i o : Q :=
  qadd (qadd (reward i o) (qmul (gamma i o) (path_dot (path_phi o.2) theta))) (qopp (path_dot (path_phi i) theta)).

Fixpoint path_td h : mat :=
  if h is o' :: ((o :: past) as h') then
    plus m 1 (path_td h')
      (scale m 1 (qmul (at_ alpha (size past)) (path_delta (path_td h') o.2 o')) (path_td_z o' h'))
  else theta0.

Definition path_w o' o past (theta w : mat) : mat :=
  plus m 1 w (scale m 1 (at_ beta (size past))
    (plus m 1 (scale m 1 (path_delta theta o.2 o') (path_td_z o' (o :: past)))
       (scale m 1 (qopp (path_dot (path_phi o.2) w)) (path_phi o.2)))).
Definition path_change i o : mat := plus m 1 (path_phi i) (scale m 1 (qopp (gamma i o)) (path_phi o.2)).
Definition path_gtd_theta o' o past (theta w : mat) : mat :=
  plus m 1 theta (scale m 1 (qmul (at_ alpha (size past)) (path_dot (path_td_z o' (o :: past)) w)) (path_change o.2 o')).
Definition path_tdc_theta o' o past (theta w : mat) : mat :=
  let z := path_td_z o' (o :: past) in
  plus m 1 (plus m 1 theta (scale m 1 (qmul (at_ alpha (size past)) (path_delta theta o.2 o')) z))
    (scale m 1 (at_ alpha (size past))
       (plus m 1 (scale m 1 (path_dot z w) (path_change o.2 o'))
          (scale m 1 (qopp (path_dot (path_phi o.2) w)) (path_phi o.2)))).

Fixpoint path_gradient (correct : bool) h : mat * mat :=
  if h is o' :: ((o :: past) as h') then
    let: (theta, w) := path_gradient correct h' in
    ((if correct then path_tdc_theta else path_gtd_theta) o' o past theta w, path_w o' o past theta w)
  else (theta0, w0).
End Compute.

Section Meaning.
Variable R : realFieldType.
Local Notation val := (@qval R).

Lemma fraction_inverseE a : val (fraction_inverse a) = (val a)^-1.
Proof.
case: a => -[|x|x] p; rewrite /fraction_inverse /= /qval /=.
- by rewrite (_ : zval R Z0 = 0) // !mul0r invr0.
- by rewrite invf_div.
by rewrite !(zvalN _ (Zpos _)) invf_div -[X in _ = _ / X]opprK invrN mulrN mulNr opprK.
Qed.

Lemma fraction_ratioE n k mu pi (i : 'I_n.+1) (o : 'I_k.+1 * 'I_n.+1) :
  val (fraction_ratio mu pi i (o.1 : nat, o.2 : nat))
  = ratio (fun i a => val (entry mu i (a : 'I_k.+1))) (fun i a => val (entry pi i (a : 'I_k.+1))) i o.
Proof. by rewrite /fraction_ratio qvalM fraction_inverseE. Qed.

Variables (n k m : nat) (features : mat) (lambdas : vec) (gamma rho reward : nat -> nat * nat -> Q).
Variables (alpha beta : vec) (theta0 w0 : mat).
Local Notation O := [finType of 'I_k.+1 * 'I_n.+1].
Implicit Types (i : 'I_n.+1) (o : O) (h : seq O) (s : vec).

Definition numbered o : nat * nat := (o.1 : nat, o.2 : nat).
Definition numbered_path h : seq (nat * nat) := [seq numbered o | o <- h].
Let Phi : 'M[R]_(n.+1, m) := mx R n.+1 m features.
Let lam s : nat -> R := schedule [seq val l | l <- s].
Let fn (f : nat -> nat * nat -> Q) i o : R := val (f i (numbered o)).
Let step s t : R := val (at_ s t).
Let col X : 'cV[R]_m := mx R m 1 X.
Let z := @td_trace R n m O snd Phi.

Lemma mx_nil : col [::] = 0.
Proof. by apply/matrixP => i j; rewrite !mxE /entry /at_ !nth_nil qval0. Qed.

Lemma phiE i : col (path_phi m features i) = phi Phi i.
Proof. by rewrite /col mx_table; apply/matrixP => j l; rewrite !mxE. Qed.

Lemma traceS l g o' o h : z l g (o' :: o :: h) = phi Phi o'.2 + (l 1%N * g o.2 o') *: z (shift l) g (o :: h).
Proof.
rewrite /z !td_trace_lags /td_lags big_nat_recl //= c0 big_geq // mulr1 scale1r; congr (_ + _).
rewrite -[(size h).+1]/(size (o :: h)) scaler_sumr; apply: eq_bigr => j _; rewrite scalerA c_first big_nat_recl //=.
by congr (_ *: _); rewrite mulrACA.
Qed.

Lemma trace_ext l l' g h : (forall j, l j.+1 = l' j.+1) -> z l g h = z l' g h.
Proof. by move=> E; rewrite /z !td_trace_lags; apply: eq_bigr => j _; rewrite (@eq_c _ l l') // => -[]. Qed.

Lemma path_traceE h :
  col (path_trace m features lambdas gamma rho (numbered_path h)) = z (lam lambdas) (fun i o => fn gamma i o * fn rho i o) h.
Proof.
rewrite /path_trace; elim: h lambdas => [|o' [|o h] IH] s.
- by rewrite mx_nil /z td_trace_lags /td_lags big_geq.
- by rewrite /= phiE /z td_trace_lags /td_lags big_nat1 c0 big_geq // mulr1 scale1r.
rewrite traceS -[numbered_path _]/(numbered o' :: numbered o :: numbered_path h) /col mx_plus mx_scale !qvalM.
rewrite -/(col (path_phi _ _ _)) phiE; congr (_ + (_ * _) *: _).
- by case: s => [|l s] //=; rewrite /lam /= qval0.
rewrite -[mx _ _ _ _]/(col (path_lags m features gamma rho (behead s) (numbered_path (o :: h)))) IH.
by apply: trace_ext => j; rewrite /lam /shift; case: s => [|l s] //=; rewrite nth_nil.
Qed.

Lemma dotE X Y : val (path_dot m X Y) = dot (col X) (col Y).
Proof.
by rewrite /path_dot /dot /col -mx_transpose -mx_times mxE.
Qed.

Lemma deltaE theta i o :
  val (path_delta m features gamma reward theta i (numbered o)) = td_delta snd Phi (fn gamma) (fn reward) (col theta) i o.
Proof. by rewrite /path_delta !qvalD qvalN qvalM !dotE !phiE. Qed.

Lemma td_zE o' h : col (path_td_z m features lambdas gamma rho (numbered o') (numbered_path h))
  = td_z snd Phi (lam lambdas) (fn gamma) (fn rho) o' h.
Proof.
case: h => [|o h]; first by rewrite mx_nil.
by rewrite /td_z -/(z (lam lambdas)) -path_traceE /col -mx_scale.
Qed.

Let otd := off_policy_td snd Phi (lam lambdas) (fn gamma) (fn rho) (fn reward) (step alpha) (col theta0).
Theorem path_tdE h : col (path_td m features lambdas gamma rho reward alpha theta0 (numbered_path h)) = otd h.
Proof.
elim: h => [|o' [|o h] IH] //.
transitivity (otd (o :: h) + (step alpha (size h) * td_delta snd Phi (fn gamma) (fn reward) (otd (o :: h)) o.2 o')
  *: td_z snd Phi (lam lambdas) (fn gamma) (fn rho) o' (o :: h)); last by rewrite -scalerA.
by rewrite -IH -td_zE -deltaE /col /= mx_plus mx_scale qvalM size_map.
Qed.

(* on-policy, as Theorem 4.3 has it *)
Theorem path_td_on_policy (g : Q) h : (forall i j, gamma i j = g) -> (forall i j, rho i j = qone) ->
  col (path_td m features lambdas gamma rho reward alpha theta0 (numbered_path h))
  = td snd Phi (lam lambdas) (val g) (fn reward) (step alpha) (col theta0) h.
Proof.
move=> gE rE; rewrite path_tdE /otd; have gR i o : fn gamma i o = val g by rewrite /fn gE.
have rR i o : fn rho i o = 1 by rewrite /fn rE qval1.
have zE h1 : td_trace snd Phi (lam lambdas) (fun i o => fn gamma i o * fn rho i o) h1
    = td_trace snd Phi (lam lambdas) (fun i (_ : O) => val g * 1) h1.
  by apply: td_trace_ext => i o; rewrite gR rR.
elim: h => [|o' [|o h] IH] //; rewrite off_policy_tdE [RHS]td_step -IH /A_of /b_of /td_matrix /td_vector zE.
by rewrite /transition gR rR.
Qed.

Let cols (x : mat * mat) := (col x.1, col x.2).
Lemma changeE i o : col (path_change m features gamma i (numbered o)) = phi Phi i - fn gamma i o *: phi Phi o.2.
Proof. by rewrite /col mx_plus mx_scale qvalN scaleNr -!/(col _) !phiE. Qed.

Lemma outer (x y v : 'cV[R]_m) : x *m y^T *m v = dot y v *: x.
Proof. by rewrite -mulmxA [y^T *m v]mx11_scalar mul_mx_scalar. Qed.

Lemma wE o' o h theta w :
  col (path_w m features lambdas gamma rho reward beta (numbered o') (numbered o) (numbered_path h) theta w)
  = w_step snd Phi (lam lambdas) (fn gamma) (fn rho) (fn reward) (step beta) o' o h (col theta) (col w).
Proof.
rewrite /w_step outer -(phiE o.2) -dotE -td_zE -deltaE -scaleNr -qvalN /col !(mx_plus, mx_scale) size_map.
by [].
Qed.

Let run := path_gradient m features lambdas gamma rho reward alpha beta theta0 w0.
Let gtd_of := gtd snd Phi (lam lambdas) (fn gamma) (fn rho) (fn reward) (step alpha) (step beta) (col theta0) (col w0).
Let tdc_of := tdc snd Phi (lam lambdas) (fn gamma) (fn rho) (fn reward) (step alpha) (step beta) (col theta0) (col w0).

Lemma runS correct o' o h : run correct (numbered_path (o' :: o :: h)) =
  let: (theta, w) := run correct (numbered_path (o :: h)) in
  (if correct then path_tdc_theta m features lambdas gamma rho reward alpha (numbered o') (numbered o) (numbered_path h) theta w
   else path_gtd_theta m features lambdas gamma rho alpha (numbered o') (numbered o) (numbered_path h) theta w,
   path_w m features lambdas gamma rho reward beta (numbered o') (numbered o) (numbered_path h) theta w).
Proof. by case: correct. Qed.

Theorem path_gtdE h : cols (run false (numbered_path h)) = gtd_of h.
Proof.
elim: h => [|o' [|o h] IH] //; rewrite runS.
rewrite -[RHS]/(gtd_step snd Phi (lam lambdas) (fn gamma) (fn rho) (fn reward) (step alpha) (step beta) o' o h
  (gtd_of (o :: h))) -IH.
case: (run _ _) => theta w; rewrite /cols /fst /snd wE /gtd_step; congr (_, _).
by rewrite outer -changeE -td_zE -dotE /path_gtd_theta /col mx_plus mx_scale qvalM size_map scalerA.
Qed.

Lemma sumE (t z1 c1 f : mat) (a e x y : Q) :
  col (plus m 1 (plus m 1 t (scale m 1 (qmul a e) z1))
     (scale m 1 a (plus m 1 (scale m 1 x c1) (scale m 1 (qopp y) f))))
  = col t + (val a * val e) *: col z1 + val a *: (val x *: col c1 - val y *: col f).
Proof. by rewrite /col !(mx_plus, mx_scale) qvalM qvalN scaleNr. Qed.

Lemma regroup (a e x y : R) (t z1 c1 f : 'cV[R]_m) :
  t + (a * e) *: z1 + a *: (x *: c1 - y *: f) = t + a *: (e *: z1) - a *: (x *: - c1 + y *: f).
Proof. by rewrite scalerA; congr (_ + _); rewrite -[RHS]scalerN opprD scalerN opprK. Qed.

Theorem path_tdcE h : cols (run true (numbered_path h)) = tdc_of h.
Proof.
elim: h => [|o' [|o h] IH] //; rewrite runS.
rewrite -[RHS]/(tdc_step snd Phi (lam lambdas) (fn gamma) (fn rho) (fn reward) (step alpha) (step beta) o' o h
  (tdc_of (o :: h))) -IH.
case: (run _ _) => theta w; rewrite /cols /fst /snd wE /tdc_step; congr (_, _).
rewrite /path_tdc_theta sumE -[numbered o :: _]/(numbered_path (o :: h)) !dotE deltaE changeE td_zE phiE size_map !outer -[_ *: phi Phi _ - _]opprB.
exact: regroup.
Qed.
End Meaning.
